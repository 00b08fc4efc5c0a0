"""What kind of project this is, by a glance at its files: the wording of questions follows it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

_MAX_BYTES = 1_000_000
_SERVICE_FILES = ("Dockerfile", "docker-compose.yml", "compose.yaml", "manage.py", "Procfile", "wsgi.py")
_APP_FILES = ("index.html", "pubspec.yaml", "AndroidManifest.xml", "android", "ios", "project.godot")
_APP_PACKAGES = frozenset({"react", "vue", "svelte", "next", "@angular/core", "electron", "react-native"})
_SERVICE_PACKAGES = frozenset({"express", "fastify", "koa", "@nestjs/core", "django", "flask", "fastapi"})


def find_project_kind(root: Path) -> str:
    """Return `library`, `service`, `app` or `tool`; empty where the files at the top do not tell."""
    if any((root / name).exists() for name in _APP_FILES):
        return "app"
    python, rust, node = _read_toml(root, "pyproject.toml"), _read_toml(root, "Cargo.toml"), _read_node(root)
    project = _table(python, "project")
    needed = {_name(each) for each in _list(project, "dependencies")}
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


def _read_text(root: Path, name: str) -> str:
    path = root / name
    try:
        is_usable = path.is_file() and path.resolve().is_relative_to(root.resolve())
        return path.read_bytes()[:_MAX_BYTES].decode("utf-8", "replace") if is_usable else ""
    except (OSError, RuntimeError):
        return ""


def _read_toml(root: Path, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(_read_text(root, name))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _read_node(root: Path) -> dict[str, Any]:
    try:
        found = json.loads(_read_text(root, "package.json") or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(owner: dict[str, Any], name: str) -> dict[str, Any]:
    value = owner.get(name)
    return value if isinstance(value, dict) else {}


def _list(owner: dict[str, Any], name: str) -> list[Any]:
    value = owner.get(name)
    return value if isinstance(value, list) else []


def _name(requirement: object) -> str:
    """Return the name in a requirement such as `Flask>=2`."""
    text = str(requirement).strip().lower()
    end = next((at for at, char in enumerate(text) if not (char.isalnum() or char in "-_.")), len(text))
    return text[:end]
