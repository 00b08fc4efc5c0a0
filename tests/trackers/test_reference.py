"""Which texts name an issue, and which are just words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable.trackers import Reference, parse_reference

pytestmark = pytest.mark.rule("ITEM-2")


@pytest.mark.parametrize("text", ["#21", "GH-21", "gh-21", "Gh-21", "  #21\n"])
def test_a_number_is_an_issue_of_the_projects_own_repository(text: str) -> None:
    reference = parse_reference(text)
    assert reference == Reference("github", "GH-21")
    assert (reference.source, reference.source_id) == ("github", "GH-21")


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/web.shop/issues/21",
        "http://github.com/acme/web.shop/issues/21/",
        "HTTPS://GitHub.com/acme/web.shop/issues/21",
        "github.com/acme/web.shop/issues/21",
        "www.github.com/acme/web.shop/issues/21",
        "https://www.github.com/acme/web.shop/issues/21",
        "https://github.com/acme/web.shop/issues/21#issuecomment-7",
        "https://github.com/acme/web.shop/issues/21?x=y",
        "https://github.com/acme/web.shop/pull/21",
        "https://github.com/acme/web.shop/pull/21/files",
        "https://github.com/acme/web.shop/pull/21/commits",
        "https://ada:secret@github.com/acme/web.shop/issues/21",
    ],
)
def test_an_address_names_the_repository_too(address: str) -> None:
    assert parse_reference(address) == Reference("github", "GH-21", "github.com", "acme/web.shop")


def test_a_company_has_its_own_github() -> None:
    reference = parse_reference("https://git.corp.example:8443/Acme/shop_1/issues/9")
    assert reference == Reference("github", "GH-9", "git.corp.example:8443", "Acme/shop_1")
    assert reference.source_id == "GH-9"


@pytest.mark.parametrize("key", ["ABC-12", "A1-1", "UTF-8", "SHA-256", "MY_TEAM-1234567890"])
def test_a_key_is_an_issue_in_jira(key: str) -> None:
    reference = parse_reference(f" {key} ")
    assert reference == Reference("jira", key)
    assert (reference.source, reference.source_id) == ("jira", key)


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://company.example/browse/ABC-12", "https://company.example"),
        ("https://company.example/browse/abc-12/", "https://company.example"),
        ("https://company.example/browse/ABC-12?focusedId=3#x", "https://company.example"),
        (
            "http://x:y@Company.example:8080/tools/jira/browse/ABC-12",
            "http://company.example:8080/tools/jira",
        ),
    ],
)
def test_a_browse_address_names_the_site_too(address: str, site: str) -> None:
    assert parse_reference(address) == Reference("jira", "ABC-12", site)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Offline forms",
        "#21 is broken",
        "Fix #21",
        "GH-21 and GH-22",
        "#0",
        "#021",
        "#21a",
        "#",
        "21",
        "# 21",
        "#12345678901",
        "#٢١",
        "GH-0",
        "GH21",
        "utf-8",
        "Covid-19",
        "A-1",
        "ABC-0",
        "ABC-",
        "1BC-2",
        "ABC-12-3",
        "ABC-12345678901",
        "ABC-12 export",
        "https://github.com/acme/shop",
        "https://github.com/acme/shop/issues",
        "https://github.com/acme/shop/issues/new",
        "https://github.com/acme/shop/issues/21/edit",
        "https://github.com/-acme/shop/issues/21x",
        "https://gitlab.com/acme/shop/-/issues/21",
        "https://github.com/issues/21",
        "ftp://github.com/acme/shop/issues/21",
        "https:///acme/shop/issues/21",
        "https://[::1/acme/shop/issues/21",
        "https://host name/acme/shop/issues/21",
        "https://-x/acme/shop/issues/21",
        "see https://github.com/acme/shop/issues/21",
        "https://company.example/browse/12",
        "https://company.example/browse/ABC-0",
        "https://company.example/projects/ABC-12",
        "company.example/browse/ABC-12",
    ],
)
def test_anything_else_is_words(text: str) -> None:
    assert parse_reference(text) is None


@settings(deadline=None)
@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    for said in (text, f"https://{text}", f"https://{text}/browse/ABC-1", f"#{text}"):
        reference = parse_reference(said)
        assert reference is None or reference.source_id.isprintable()


@settings(deadline=None)
@given(st.integers(1, 9_999_999_999))
def test_any_number_will_do(number: int) -> None:
    assert parse_reference(f"#{number}") == Reference("github", f"GH-{number}")
