"""The routes of the test site."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.client import HTTPResponse, RemoteDisconnected
from importlib.resources import files
from threading import Thread
from urllib.error import HTTPError
from urllib.request import Request, build_opener, urlopen

import pytest

from tests.site import TestSite
from tests.waiting import eventually

PAGES = sorted(
    file.name for file in (files("tests.site") / "pages").iterdir() if file.name.endswith(".html")
)


@pytest.fixture(scope="module")
def site() -> Iterator[TestSite]:
    with TestSite() as running:
        yield running


def get(url: str | Request) -> tuple[HTTPResponse, str]:
    with urlopen(url, timeout=10) as response:
        return response, response.read().decode()


@pytest.mark.parametrize("name", PAGES)
def test_page_is_served_as_html(site: TestSite, name: str) -> None:
    response, body = get(site.url(f"/{name}"))
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert body.startswith("<!doctype html>")


def test_requests_are_listed_with_their_query_but_without_favicons(site: TestSite) -> None:
    site.requests.clear()
    get(site.url("/text.html?a=1"))
    get(site.url("/favicon.ico"))
    assert site.requests == [("GET", "/text.html?a=1")]


def test_echo_returns_the_request(site: TestSite) -> None:
    request = Request(site.url("/echo?a=1&a=2"), data=b"body", headers={"X-Test": "yes"})
    _, body = get(request)
    seen = json.loads(body)
    assert seen["method"] == "POST"
    assert seen["query"] == {"a": ["1", "2"]}
    assert seen["headers"]["X-Test"] == "yes"
    assert seen["body"] == "body"


def test_slow_waits_for_the_given_time(site: TestSite) -> None:
    begin = time.monotonic()
    get(site.url("/slow?ms=60"))
    assert time.monotonic() - begin >= 0.06


def test_status_returns_its_code(site: TestSite) -> None:
    with pytest.raises(HTTPError) as caught:
        get(site.url("/status/503"))
    with caught.value as error:
        assert error.code == 503
        assert b"Status 503" in error.read()


def test_status_without_content_has_no_body(site: TestSite) -> None:
    response, body = get(site.url("/status/204"))
    assert (response.status, body) == (204, "")


def test_redirect_leads_to_the_form(site: TestSite) -> None:
    response, _ = get(site.url("/redirect"))
    assert response.url == site.url("/form.html")


def test_reset_closes_the_connection_without_a_response(site: TestSite) -> None:
    with pytest.raises((ConnectionResetError, RemoteDisconnected)):
        get(site.url("/reset"))


def test_download_names_its_file(site: TestSite) -> None:
    response, body = get(site.url("/download/report.csv"))
    assert response.headers["Content-Disposition"] == 'attachment; filename="report.csv"'
    assert body.startswith("name,amount")


def test_the_content_security_policy_is_strict(site: TestSite) -> None:
    response, _ = get(site.url("/csp.html"))
    policy = response.headers["Content-Security-Policy"]
    assert "script-src 'nonce-site'" in policy
    assert "unsafe" not in policy


def test_cookie_that_was_set_is_shown(site: TestSite) -> None:
    response, _ = get(site.url("/cookies/set?name=flavour&value=oat%20and%20rye"))
    cookie = response.headers["Set-Cookie"].partition(";")[0]
    _, body = get(Request(site.url("/cookies/show"), headers={"Cookie": cookie}))
    assert json.loads(body) == {"flavour": "oat and rye"}


def test_unknown_path_is_not_found(site: TestSite) -> None:
    with pytest.raises(HTTPError) as caught:
        get(site.url("/nothing.html"))
    with caught.value as error:
        assert error.code == 404


def test_hang_ends_when_the_site_closes() -> None:
    failures: list[Exception] = []

    def wait_for_answer(url: str) -> None:
        try:
            build_opener().open(url, timeout=10)
        except Exception as error:
            failures.append(error)

    with TestSite() as site:
        client = Thread(target=wait_for_answer, args=[site.url("/hang")])
        client.start()
        eventually(lambda: site.requests, "the request has arrived")
        assert client.is_alive()
    client.join(timeout=5)
    assert not client.is_alive()
    assert isinstance(failures[0], OSError)
