"""A small reader of mermaid flowcharts: enough to tell whether one is sound."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^```mermaid\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_NODE = re.compile(r'    (?P<name>s\d+)\["(?P<label>(?:[^"`<>\\#;%\n]|#(?:quot|lt|gt|\d+);)+)"\]')
_EDGE = re.compile(r"    (?P<one>s\d+) --> (?P<other>s\d+)")


def flowcharts(document: str) -> list[tuple[dict[str, str], list[tuple[str, str]]]]:
    """The nodes and edges of every chart in a document; ValueError where one is not sound."""
    return [_chart(found["body"]) for found in _BLOCK.finditer(document)]


def _chart(body: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    head, *lines = body.rstrip("\n").split("\n")
    if head != "flowchart LR":
        raise ValueError(head)
    nodes: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    for line in lines:
        if node := _NODE.fullmatch(line):
            if edges or node["name"] in nodes:
                raise ValueError(line)
            nodes[node["name"]] = node["label"]
        elif edge := _EDGE.fullmatch(line):
            edges.append((edge["one"], edge["other"]))
        else:
            raise ValueError(line)
    if not edges or {name for edge in edges for name in edge} != set(nodes):
        raise ValueError(body)
    return nodes, edges
