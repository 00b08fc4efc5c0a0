"""A site and somebody who came in to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from roundtable.surfaces.web.app import Site
from webserver import come_in, make_site, open_client


@pytest.fixture
def site(place: tuple[Path, Path]) -> Site:
    return make_site(place[0])


@pytest.fixture
def ana(site: Site) -> TestClient:
    return come_in(site, open_client(site), "Ana")
