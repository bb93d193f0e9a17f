"""Secrets are recognised and masked."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtui.protocol.secrets import (
    MASK,
    has_mask,
    has_masked_value,
    holds_secret,
    is_secret_label,
    mask_input,
    mask_text,
    masked,
    may_hold_secrets,
    without_secrets,
)

S = "s3cr3t"
M = MASK


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"http://ada:{S}@host/a", f"http://ada:{M}@host/a"),
        (f"http://:{S}@host:8080", f"http://:{M}@host:8080"),
        (f"http://ada:p@{S}@host/a@b", f"http://ada:{M}@host/a@b"),
        (f"https://ghp_0123456789{S}@github.com/x", f"https://{M}@github.com/x"),
        (f"ws://127.0.0.1:9/cdp?token={S}", f"ws://127.0.0.1:9/cdp?token={M}"),
        (f"/a?x=1&access_token={S}&y=2", f"/a?x=1&access_token={M}&y=2"),
        (f"/cb#id_token={S}&state=1", f"/cb#id_token={M}&state=1"),
        (
            f"cannot open 'http://h/?api_key={S}': refused",
            f"cannot open 'http://h/?api_key={M}': refused",
        ),
        (f"?X-Amz-Signature={S}&code={S}", f"?X-Amz-Signature={M}&code={M}"),
        (f'<a href="/x?a=1&amp;token={S}">', f'<a href="/x?a=1&amp;token={M}">'),
        (f"password={S}&name=Ada", f"password={M}&name=Ada"),
        (f'{{"name": "Ada", "password": "{S}"}}', f'{{"name": "Ada", "password": "{M}"}}'),
        (f"{{'accessToken':'{S}\\'x'}}", f"{{'accessToken':'{M}'}}"),
        (f"headers: {{Authorization: 'Bearer {S}'}}", f"headers: {{Authorization: '{M}'}}"),
        (f"curl -H 'authorization: {S}'", f"curl -H 'authorization: {M}'"),
        (f"Bearer 0123456789.{S}", f"Bearer {M}"),
        # Parameters inside of parameters, and of forms.
        (f"/in?next=http%3A%2F%2Fx%2F%3Ftoken%3D{S}", f"/in?next=http%3A%2F%2Fx%2F%3Ftoken%3D{M}"),
        (
            f"/in?next=%2Fcb%3Fa%3D1%26code%3D{S}%26b%3D2",
            f"/in?next=%2Fcb%3Fa%3D1%26code%3D{M}%26b%3D2",
        ),
        (f"/a?u=%252F%253Ftoken%253D{S}&x=1", f"/a?u=%252F%253Ftoken%253D{M}&x=1"),
        (f"/a?user[password]={S}&b=1", f"/a?user[password]={M}&b=1"),
        (f"/a?user%5Bpassword%5D={S}", f"/a?user%5Bpassword%5D={M}"),
        (f"user[name]=ada&user[password]={S}", f"user[name]=ada&user[password]={M}"),
        (f"/acs?SAMLResponse={S}&pin={S}", f"/acs?SAMLResponse={M}&pin={M}"),
        # Logs and headers.
        (f"login failed token={S} for ada", f"login failed token={M} for ada"),
        (f"retry with (password={S}, n=2)", f"retry with (password={M}, n=2)"),
        (f"Cookie: sid={S}; a={S}", f"Cookie: {M}"),
        (f"Set-Cookie: sid={S}; Path=/\nDate: x", f"Set-Cookie: {M}\nDate: x"),
        (f"curl -b x -H 'Cookie: a={S}' http://h", f"curl -b x -H 'Cookie: {M}' http://h"),
        (f'{{"Cookie": "a={S}; b"}}', f'{{"Cookie": "{M}"}}'),
        (f'{{"Set-Cookie":"{S}"}}', f'{{"Set-Cookie":"{M}"}}'),
        (f'"{{\\"cookie\\":\\"a={S}\\"}}"', f'"{{\\"cookie\\":\\"{M}\\"}}"'),
        (f"X-Api-Key: {S}", f"X-Api-Key: {M}"),
        (f"X-Api-Key: {S}, X-Other: 1", f"X-Api-Key: {M}, X-Other: 1"),
        (f"{{name: Ada, password: {S}, a: Object}}", f"{{name: Ada, password: {M}, a: Object}}"),
        (f"{{token: {S}}}", f"{{token: {M}}}"),
        (f"curl -H 'x-auth-token: {S}'", f"curl -H 'x-auth-token: {M}'"),
        # JSON inside of JSON, and scripts.
        (f'{{"a": "{{\\"password\\": \\"{S}\\"}}"}}', f'{{"a": "{{\\"password\\": \\"{M}\\"}}"}}'),
        (f"{{password: '{S}', a: 'b'}}", f"{{password: '{M}', a: 'b'}}"),
        (f"const apiKey = `{S}`;", f"const apiKey = `{M}`;"),
        (f'login(password="{S}", user="ada")', f'login(password="{M}", user="ada")'),
        (f"localStorage.setItem('token', '{S}')", f"localStorage.setItem('token', '{M}')"),
        (f'x.setRequestHeader("X-Api-Key","{S}")', f'x.setRequestHeader("X-Api-Key","{M}")'),
        (f"page.fill('#password', '{S}')", f"page.fill('#password', '{M}')"),
        (f"document.cookie = 'sid={S}; path=/'", f"document.cookie = '{M}'"),
        (f"İ \udc80 password='{S}'", f"İ \udc80 password='{M}'"),
    ],
)
def test_secrets_in_a_text_are_masked(text: str, shown: str) -> None:
    assert mask_text(text) == shown
    assert mask_text(shown) == shown
    assert may_hold_secrets(json.dumps({"text": text}, ensure_ascii=False))


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a?b=c#d",
        "https://medium.com/@ada/x",
        "http://[::1]:80/?a:b@c",
        "ada@example.org, see http://example.org",
        "key=1; code = 2",
        "getByRole('button', { name: 'Sign in' })",
        "The bearer of this letter: Basic authentication is explained",
        '{"key": "Enter", "code": "TIMEOUT", "session": "x"}',
        "input[data-token='x'] >> button[data-token=x]",
        "//input[@data-token='x']",
        "getByRole('textbox', { name: 'Password' }).fill(user)",
        "if (password == other) token = next(); const secret=read('a'); token=t.value(1)",
        "log({ password: user.password, token, secret: secret })",
        "columns = ['password', 'name', 'token']",
        '<input type="password" name="password" id=password>',
        'textbox "Password" [ref=e3]: none',
        "Cookie: we use cookies. Password: required. The x-ray token: see below",
        "/a?x=100%25&y=%3D1",
        "",
    ],
)
def test_other_text_is_not_changed(text: str) -> None:
    assert mask_text(text) == text


def test_members_cookies_items_and_headers_are_masked() -> None:
    value = {
        "cookies": [{"name": "sid", "value": S, "domain": "x.org"}],
        "items": [{"key": "jwt", "value": S}],
        "requestHeaders": [{"name": "Cookie", "value": S}, {"name": "Accept", "value": "*/*"}],
        "headers": {"Authorization": S, "X-Api-Key": S, "Accept": "*/*"},
        "body": json.dumps({"password": S}),
        "url": f"http://a:{S}@b/",
        "count": 3,
        "key": "Enter",
    }

    shown = masked(value)

    assert S not in json.dumps(shown)
    assert shown["count"] == 3
    assert shown["key"] == "Enter"
    assert shown["headers"]["Accept"] == "*/*"
    assert shown["requestHeaders"][1]["value"] == "*/*"


SCHEMA: dict[str, Any] = {
    "properties": {"text": {"x-secret": "text"}, "key": {"x-secret": "key"}, "url": {}}
}


@pytest.mark.parametrize(
    ("input", "hidden", "shown"),
    [
        ({"text": S, "url": "/a"}, None, {"text": M, "url": "/a"}),
        ({"text": S, "url": f"/a?token={S}"}, set(), {"text": S, "url": f"/a?token={M}"}),
        ({"text": S, "key": "a"}, {"text"}, {"text": M, "key": "a"}),
        ({"key": "a"}, None, {"key": M}),
        ({"key": "Enter"}, None, {"key": "Enter"}),
        ({"txt": S}, None, {"txt": M}),
    ],
)
def test_declared_inputs_are_masked(
    input: dict[str, Any], hidden: set[str] | None, shown: dict[str, Any]
) -> None:
    assert mask_input(input, SCHEMA, hidden) == shown


def test_all_input_of_an_unknown_operation_is_masked() -> None:
    assert mask_input({"text": S, "a": 1}, None) == {"text": M, "a": M}


@pytest.mark.parametrize("key", ["a", "Shift+A", "é", "+", "Digit4", "hunter2"])
def test_keys_that_type_text_may_be_secret(key: str) -> None:
    assert holds_secret("key", key)


@pytest.mark.parametrize("key", ["Enter", "Control+A", "ArrowDown", "F5", "Control+Shift+T", "Alt"])
def test_other_keys_are_not_secret(key: str) -> None:
    assert not holds_secret("key", key)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (f"http://ada:{S}@host/a?x=1&token={S}#top", "http://host/a?x=1#top"),
        (f"http://host/?code={S}", "http://host/"),
        (f"http://host/#access_token={S}&a=1", "http://host/#a=1"),
        (f"http://host/?next=%2F%3Ftoken%3D{S}&user[password]={S}&x", "http://host/?x"),
        ("http://host/a@b?x=@", "http://host/a@b?x=@"),
        ("about:blank", "about:blank"),
        (f"http://a:{M}@host/?token={M}&x", "http://host/?x"),
    ],
)
def test_secrets_are_removed_from_a_url(url: str, kept: str) -> None:
    assert without_secrets(url) == kept


def test_masks_are_recognised() -> None:
    assert has_mask({"a": ["x", f"y{M}"]})
    assert not has_mask({"a": "•••"})
    assert has_masked_value(f"http://a:{M}@b")
    assert has_masked_value({"x": f"/?token={M}"})
    assert has_masked_value(f"{{password: '{M}'}}")
    assert has_masked_value({"headers": {"X-Api-Key": M}})
    assert not has_masked_value(f"the field shows {M}")
    assert not has_masked_value({"token": "x", "text": f"innerText === '{M}'"})


@given(st.text())
def test_masking_twice_changes_nothing(text: str) -> None:
    assert mask_text(mask_text(text)) == mask_text(text)


def test_masking_an_ordinary_request_is_fast() -> None:
    request = {
        "url": "http://127.0.0.1:8000/form.html?page=2",
        "selector": "getByRole('button', { name: 'Submit' })",
        "text": "hello",
    }
    fastest = min(_seconds(request) for _ in range(50))

    assert fastest < 0.001


def _seconds(value: object) -> float:
    began = time.perf_counter()
    masked(value)
    return time.perf_counter() - began


@pytest.mark.parametrize(
    ("label", "is_secret"),
    [
        ("Password", True),
        ("Your password (again)", True),
        ("API key *", True),
        ("Access token:", True),
        ("Session ID", True),
        ("E-mail", False),
        ("Monkey", False),
        ("Tokenizer", False),
        ("", False),
    ],
)
def test_a_field_for_a_secret_is_recognised_by_its_label(label: str, is_secret: bool) -> None:
    assert is_secret_label(label) is is_secret
