"""What kind of project this is, by a glance at its files: the wording of questions follows it.

It is on its own because nothing else of the catalogue looks at the code of a project.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

_MAX_BYTES = 1_000_000
_SERVICE_FILES = ("Dockerfile", "docker-compose.yml", "compose.yaml", "manage.py", "Procfile", "wsgi.py")
_APP_FILES = ("index.html", "pubspec.yaml", "AndroidManifest.xml", "android", "ios", "project.godot")
_APP_PACKAGES = frozenset({"react", "vue", "svelte", "next", "@angular/core", "electron", "react-native"})
_SERVICE_PACKAGES = frozenset({"express", "fastify", "koa", "@nestjs/core", "django", "flask", "fastapi"})
_NAME = re.compile(r"[a-z][\w.-]*+")


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`; empty where the files at the top do not tell."""
    if any((root / name).exists() for name in _APP_FILES):
        return "app"
    python, rust = (_load(root, name, tomllib.loads) for name in ("pyproject.toml", "Cargo.toml"))
    node = _load(root, "package.json", json.loads)
    project = _table(python, "project")
    required = project.get("dependencies")
    needed = set(_NAME.findall(" ".join(map(str, required)).lower()) if isinstance(required, list) else ())
    needed |= {*_table(node, "dependencies"), *_table(node, "devDependencies")}
    if needed & _APP_PACKAGES:
        return "app"
    if needed & _SERVICE_PACKAGES or any((root / name).exists() for name in _SERVICE_FILES):
        return "service"
    if project.get("scripts") or "bin" in rust or "bin" in node or (root / "src" / "main.rs").exists():
        return "tool"
    if project or rust or "main" in node or "exports" in node or (root / "setup.py").exists():
        return "library"
    return ""


def _load(root: Path, name: str, parse: Callable[[str], Any]) -> dict[str, Any]:
    """Return what a manifest says; nothing where it cannot be read, or is a link that leads out."""
    path = root / name
    try:
        is_usable = path.is_file() and path.resolve().is_relative_to(root.resolve())
        found = parse(path.read_bytes()[:_MAX_BYTES].decode("utf-8", "replace")) if is_usable else {}
    except (OSError, RuntimeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(owner: dict[str, Any], name: str) -> dict[str, Any]:
    value = owner.get(name)
    return value if isinstance(value, dict) else {}
