"""What kind of file a path names: by its folders, its name and its ending."""

from __future__ import annotations

import re
from typing import Final, Literal

Kind = Literal["source", "test", "docs", "config", "generated"]

_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e|fixtures?|testdata|playground)/"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$"
    r"|(?:_test|_spec|[.-]test|[.-]spec)\.[a-z]+$|Tests?\.(?:java|kt|cs|scala|swift)$",
    re.IGNORECASE,
)
_DOCS: Final = re.compile(
    r"(?:^|/)(?:docs?|documentation|site|website|examples?|samples?)/"
    r"|\.(?:md|mdx|rst|adoc|txt|po|pot)$"
    r"|(?:^|/)(?:readme|changes|changelog|history|license|authors|contributors|contributing|news)(?:\.[a-z]+)?$",
    re.IGNORECASE,
)
_CONFIG: Final = re.compile(
    r"(?:^|/)\.[^/]+|\.(?:toml|ya?ml|ini|cfg|json5?|lock|conf|properties|mod|gradle|editorconfig|env)$"
    r"|(?:^|/)(?:makefile|dockerfile|jenkinsfile|procfile)[^/]*$",
    re.IGNORECASE,
)
_GENERATED: Final = re.compile(
    r"(?:^|/)(?:dist|build|out|vendor|third_party|node_modules|generated|__snapshots__)/"
    r"|\.min\.(?:js|css)$|\.(?:map|snap|svg|csv|tsv|sum)$|[._-](?:generated|pb2?)\.[a-z]+$"
    r"|(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|[^/]+\.lock|go\.sum|bun\.lockb?)$",
    re.IGNORECASE,
)
_SOURCE_WORDS = """
py pyi pyx js jsx mjs cjs ts tsx mts cts vue svelte go rs java kt kts scala groovy cs fs vb c h cc cpp
cxx hpp hh m mm swift rb php pl pm lua r jl ex exs erl hs ml clj dart sh bash zsh fish ps1 sql html css
scss less proto graphql tf zig nim v tpl jinja j2
"""
_SOURCE: Final = frozenset(_SOURCE_WORDS.split())


def kind_of(path: str) -> Kind:
    """The kind of the file at a path."""
    if _GENERATED.search(path):
        return "generated"
    if _TEST.search(path):
        return "test"
    ending = ending_of(path)
    if _DOCS.search(path):
        return "docs"
    if ending in _SOURCE and not path.startswith(".github/"):
        return "source"
    return "config" if _CONFIG.search(path) else "source"


def ending_of(path: str) -> str:
    """What follows the last dot of the file's name, in small letters; empty where there is none."""
    name = path.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[1].lower() if "." in name[1:] else ""
