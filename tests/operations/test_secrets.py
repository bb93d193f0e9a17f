"""Text that is typed into password fields is masked in every response."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pwtui.protocol.secrets import MASK
from tests.client import Client
from tests.operations.support import data_url, refs
from tests.site import TestSite

SECRET = "correct-horse-42"


async def test_password_is_masked_in_the_echo(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    response = await client.send("fill", {"url": url, "selector": "#password", "text": SECRET})
    assert response.inputs == {"url": url, "selector": "#password", "text": MASK}
    assert response.data == {"selector": "#password", "text": MASK}
    assert SECRET not in response.to_json()
    typed = await client.data(
        "page.eval", {"expression": "document.querySelector('#password').value"}
    )
    assert typed["result"] == SECRET


async def test_password_typed_by_ref_is_masked(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/form.html")})
    ref = (await refs(client))["Password"]
    response = await client.send("fill", {"ref": ref, "text": SECRET})
    assert response.ok, response.error
    assert SECRET not in response.to_json()


async def test_password_typed_key_by_key_is_masked(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    named = await client.send("type", {"url": url, "selector": "#password", "text": SECRET})
    focused = await client.send("type", {"text": SECRET})
    for response in (named, focused):
        assert response.ok, response.error
        assert response.data is not None
        assert response.data["text"] == MASK
        assert SECRET not in response.to_json()


async def test_password_typed_where_the_focus_is_inside_a_frame_is_masked(
    client: Client, site: TestSite
) -> None:
    inner = "locator('#same').contentFrame().locator('#inner-password')"
    await client.data("click", {"url": site.url("/frames.html"), "selector": inner})
    response = await client.send("type", {"text": SECRET})
    assert response.ok, response.error
    assert SECRET not in response.to_json()


@pytest.mark.parametrize("purpose", ["one-time-code", "new-password", "cc-csc", "cc-number"])
async def test_other_secret_fields_are_masked_too(client: Client, purpose: str) -> None:
    await client.data("navigate", {"url": data_url(f"<input autocomplete='{purpose}'>")})
    response = await client.send("fill", {"selector": "input", "text": SECRET})
    assert response.ok, response.error
    assert SECRET not in response.to_json()


@pytest.mark.parametrize("reaction", ["this.remove()", "alert(1)"])
async def test_a_password_field_that_appears_late_and_reacts_is_masked(
    client: Client, reaction: str
) -> None:
    field = f'<input type=password oninput="{reaction}">'
    script = f"setTimeout(() => document.body.innerHTML = {json.dumps(field)}, 100)"
    await client.data("navigate", {"url": data_url(f"<body><script>{script}</script>")})
    response = await client.send("fill", {"selector": "input", "text": SECRET})
    assert response.ok, response.error
    assert SECRET not in response.to_json()
    if reaction == "alert(1)":
        await client.data("dialog.accept")


@pytest.mark.parametrize("event", ["input", "focus"])
async def test_a_password_field_that_becomes_a_text_field_is_masked(
    client: Client, event: str
) -> None:
    field = f"<input type=password on{event}=\"this.type = 'text'\">"
    await client.data("navigate", {"url": data_url(field)})
    response = await client.send("fill", {"selector": "input", "text": SECRET})
    assert response.ok, response.error
    assert SECRET not in response.to_json()


@pytest.mark.parametrize("attribute", ["disabled", "readonly"])
async def test_password_that_could_not_be_typed_is_not_in_the_error(
    client: Client, attribute: str
) -> None:
    await client.data("navigate", {"url": data_url(f"<input type=password {attribute}>")})
    response = await client.send(
        "fill", {"selector": "input", "text": SECRET}, overrides={"timeoutMs": 800}
    )
    assert response.error is not None
    assert response.error.code == "TIMEOUT"
    assert SECRET not in response.to_json()


async def test_password_that_found_no_field_is_not_in_the_error(
    client: Client, site: TestSite
) -> None:
    await client.data("navigate", {"url": site.url("/duplicates.html")})
    for selector in ("#nowhere", "button", "a["):
        response = await client.send(
            "fill", {"selector": selector, "text": SECRET}, overrides={"timeoutMs": 300}
        )
        assert not response.ok
        assert SECRET not in response.to_json()


@pytest.mark.parametrize("depth", [None, 20])
async def test_snapshot_masks_text_and_tree(
    client: Client, site: TestSite, depth: int | None
) -> None:
    await client.data(
        "fill", {"url": site.url("/form.html"), "selector": "#password", "text": SECRET}
    )
    response = await client.send("page.aria", {"depth": depth})
    assert SECRET not in response.to_json()
    assert response.data is not None
    assert f": {MASK}" in response.data["snapshot"]


@pytest.mark.parametrize(
    "secret",
    ["two  spaces", 'quote " and \\', "true", "- dash: colon", "ä€🎈", "42", "[ref=e1]", "x: #y"],
)
async def test_awkward_passwords_are_masked(client: Client, site: TestSite, secret: str) -> None:
    await client.data(
        "fill", {"url": site.url("/form.html"), "selector": "#password", "text": secret}
    )
    data = await client.data("page.aria")
    fields = [line for line in data["snapshot"].splitlines() if 'textbox "Password"' in line]
    assert len(fields) == 1
    assert fields[0].endswith(f": {MASK}")


async def test_password_inside_its_label_is_masked_in_names(client: Client) -> None:
    page = "<label>Password <input type=password> <button>Show</button></label>"
    await client.data("navigate", {"url": data_url(page)})
    await client.data("fill", {"selector": "input", "text": SECRET})
    response = await client.send("page.aria")
    assert response.ok, response.error
    assert SECRET not in response.to_json()


@pytest.mark.parametrize(
    "place",
    [
        "locator('#same').contentFrame()",
        "locator('#nested').contentFrame().locator('#deep').contentFrame()",
        "locator('#cross').contentFrame()",
    ],
)
async def test_passwords_in_frames_are_masked(client: Client, site: TestSite, place: str) -> None:
    await client.data("navigate", {"url": site.url("/frames.html")})
    response = await client.send(
        "fill", {"selector": f"{place}.locator('#inner-password')", "text": SECRET}
    )
    assert response.ok, response.error
    assert SECRET not in response.to_json()
    for op in ("page.aria", "page.snapshot", "page.html", "page.read"):
        input = {"selector": f"{place}.locator('body')"} if op == "page.html" else {}
        response = await client.send(op, input)
        assert response.ok, response.error
        assert SECRET not in response.to_json(), op


async def test_passwords_in_shadow_roots_are_masked(client: Client) -> None:
    page = """<div id=host></div><script>
      document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML =
        "<label>Password <input type=password></label>";
    </script>"""
    await client.data("navigate", {"url": data_url(page)})
    response = await client.send("fill", {"selector": "input", "text": SECRET})
    assert SECRET not in response.to_json()
    response = await client.send("page.aria")
    assert response.ok, response.error
    assert SECRET not in response.to_json()


async def test_passwords_in_attributes_are_masked_in_html(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/password-attr.html")})
    await client.data("fill", {"selector": "#synced", "text": SECRET})
    for selector in ("html", "form", "p:nth-child(2)"):
        response = await client.send("page.html", {"selector": selector})
        assert response.ok, response.error
        assert SECRET not in response.to_json(), selector
    whole = await client.data("page.html", {"selector": "html"})
    assert "server-secret" not in whole["html"]
    assert whole["html"].count(MASK) == 2


async def test_html_of_the_page_itself_keeps_its_passwords(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/password-attr.html")})
    await client.data("page.html", {"selector": "html"})
    kept = await client.data(
        "page.eval", {"expression": "document.querySelector('#filled').getAttribute('value')"}
    )
    assert kept["result"] == "server-secret"


async def test_revealed_password_stays_masked(client: Client, site: TestSite) -> None:
    await client.data("navigate", {"url": site.url("/password-attr.html")})
    await client.data("fill", {"selector": "#revealed", "text": SECRET})
    await client.data("click", {"selector": "#reveal"})
    for op in ("page.aria", "page.snapshot", "page.elements", "page.read"):
        response = await client.send(op)
        assert response.ok, response.error
        assert SECRET not in response.to_json(), op
    response = await client.send("page.html", {"selector": "html"})
    assert SECRET not in response.to_json()
    response = await client.send("fill", {"selector": "#revealed", "text": SECRET})
    assert SECRET not in response.to_json()


@pytest.mark.parametrize(
    ("event", "reaction"),
    [
        ("keydown", "this.type = 'text'"),
        ("input", "this.type = 'text'"),
        ("focus", "setTimeout(() => this.type = 'text', 5)"),
    ],
)
@pytest.mark.parametrize("op", ["fill", "type", "press"])
async def test_a_password_stays_masked_when_its_field_shows_it(
    client: Client, event: str, reaction: str, op: str
) -> None:
    """Without `autocomplete` or a name, nothing says any more that it was a password field."""
    await client.data(
        "navigate", {"url": data_url(f'<input id=p type=password on{event}="{reaction}">')}
    )
    secret = "Q" if op == "press" else SECRET
    for _ in range(2):
        field = "key" if op == "press" else "text"
        response = await client.send(op, {"selector": "#p", field: secret})
        assert response.ok, response.error
        assert response.inputs is not None
        assert response.inputs[field] == MASK
    for read, input in (
        ("page.aria", {}),
        ("page.snapshot", {}),
        ("page.elements", {}),
        ("page.read", {}),
        ("page.html", {"selector": "html"}),
    ):
        response = await client.send(read, input)
        assert response.ok, response.error
        assert ("QQ" if op == "press" else SECRET) not in response.to_json(), read


async def test_the_value_of_a_field_that_shows_its_password_is_masked_in_html(
    client: Client,
) -> None:
    copy = "this.setAttribute('value', this.value)"
    page = f"<p><input id=p type=password oninput=\"this.type = 'text'; {copy}\"><input value=b>"
    await client.data("navigate", {"url": data_url(page)})
    await client.data("fill", {"selector": "#p", "text": SECRET})
    html = (await client.data("page.html", {"selector": "p"}))["html"]
    assert SECRET not in html
    assert f'value="{MASK}"' in html
    assert 'value="b"' in html


@pytest.mark.parametrize("name", ["id=user-password", "name=user[password]", "name=newPasswd"])
async def test_a_text_field_that_is_named_a_password_is_masked(client: Client, name: str) -> None:
    await client.data("navigate", {"url": data_url(f"<input {name}><input type=checkbox {name}>")})
    selector = "input >> nth=0"
    for op in ("fill", "type"):
        response = await client.send(op, {"selector": selector, "text": SECRET})
        assert response.ok, response.error
        assert SECRET not in response.to_json()
    response = await client.send("page.aria")
    assert SECRET not in response.to_json()


async def test_failure_artifacts_are_listed_and_hold_no_password(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/password-attr.html")})
    await client.data("fill", {"selector": "#synced", "text": SECRET})
    response = await client.send(
        "click",
        {"selector": "#nowhere"},
        overrides={"timeoutMs": 300},
        artifacts_dir=tmp_path / "failures",
    )
    assert not response.ok
    assert response.artifacts is not None
    assert [artifact.type for artifact in response.artifacts] == ["screenshot", "html", "snapshot"]
    for artifact in response.artifacts:
        content = Path(artifact.path).read_bytes()
        assert len(content) == artifact.size_bytes
        assert SECRET.encode() not in content
        assert b"server-secret" not in content
    picture, html, snapshot = (Path(artifact.path) for artifact in response.artifacts)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "<title>Passwords in attributes</title>" in html.read_text()
    assert "Passwords in attributes" in snapshot.read_text()


async def test_success_leaves_no_artifacts(client: Client, site: TestSite, tmp_path: Path) -> None:
    response = await client.send(
        "page.text", {"url": site.url("/text.html"), "selector": "h1"}, artifacts_dir=tmp_path
    )
    assert response.ok
    assert list(tmp_path.glob("*failure*")) == []


@pytest.mark.usefixtures("own_tab")
async def test_stale_ref_leaves_artifacts_too(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    await client.data("navigate", {"url": site.url("/text.html")})
    folder = tmp_path / "failures"
    response = await client.send("click", {"ref": "e999"}, artifacts_dir=folder)
    assert not response.ok
    assert response.artifacts is not None
    assert len(response.artifacts) == 3


async def test_failure_artifacts_that_cannot_be_written_are_reported(
    client: Client, site: TestSite, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    await client.data("navigate", {"url": site.url("/text.html")})
    response = await client.send(
        "click",
        {"selector": "#nowhere"},
        overrides={"timeoutMs": 300},
        artifacts_dir=tmp_path / "file",
    )
    assert response.error is not None
    assert response.error.code == "SELECTOR_NOT_FOUND"
    assert not response.artifacts
    assert response.diagnostics is not None
    assert {diagnostic.source for diagnostic in response.diagnostics} == {"artifacts"}


async def test_a_key_pressed_in_a_password_field_is_masked(client: Client, site: TestSite) -> None:
    url = site.url("/form.html")
    named = await client.send("press", {"url": url, "selector": "#password", "key": "q"})
    focused = await client.send("press", {"key": "Shift+Q"})
    held = await client.send("key.down", {"key": "q"})
    released = await client.send("key.up", {"key": "q"})
    wrong = await client.send("press", {"key": SECRET})
    other = await client.send("press", {"selector": "#name", "key": "q"})
    for response in (named, focused, held, released):
        assert response.ok, response.error
        assert response.inputs is not None
        assert response.inputs["key"] == MASK
        assert '"q"' not in response.to_json().lower()
    assert wrong.error is not None
    assert SECRET not in wrong.to_json()
    assert other.inputs is not None
    assert other.inputs["key"] == "q"


@pytest.mark.parametrize(
    ("op", "input", "field"),
    [
        ("fill", {"selector": "#name", "text": MASK}, "text"),
        ("type", {"text": f"x{MASK}"}, "text"),
        ("press", {"key": MASK}, "key"),
        ("key.down", {"key": MASK}, "key"),
        ("verify.value", {"selector": "#name", "value": MASK}, "value"),
        ("cookies.set", {"name": "a", "value": MASK, "url": "http://x.org"}, "value"),
        ("localstorage.set", {"key": "a", "value": MASK}, "value"),
        ("connect", {"endpoint": "http://127.0.0.1:1", "headers": {"a": MASK}}, "headers"),
        ("connect", {"endpoint": f"ws://127.0.0.1:1/?token={MASK}"}, "endpoint"),
        ("navigate", {"url": f"http://ada:{MASK}@127.0.0.1:1/"}, "url"),
        ("page.eval", {"expression": f"localStorage.setItem('token', '{MASK}')"}, "expression"),
        ("route.add", {"pattern": "**/a", "headers": {"X-Api-Key": MASK}}, "headers"),
        ("route.add", {"pattern": "**/a", "body": f'{{"token": "{MASK}"}}'}, "body"),
    ],
)
async def test_a_mask_is_refused_as_input(
    client: Client, op: str, input: dict[str, object], field: str
) -> None:
    response = await client.send(op, input)
    assert response.error is not None
    assert response.error.code == "INVALID_INPUT"
    assert response.error.message.startswith(f"input.{field}: contains a mask")


async def test_a_mask_is_refused_in_an_override(client: Client) -> None:
    endpoint = f"ws://127.0.0.1:1/?token={MASK}"
    response = await client.send("page.title", overrides={"cdpEndpoint": endpoint})
    assert response.error is not None
    assert response.error.message.startswith("runtime.overrides.cdpEndpoint: contains a mask")


async def test_a_private_file_leaves_its_folder_as_it_is(client: Client, site: TestSite) -> None:
    folder = client.root / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    await client.data("navigate", {"url": site.url("/form.html")})
    await client.data("state.save", {"output": "shared/state.json"})
    assert folder.stat().st_mode & 0o7777 == 0o1777
    assert (folder / "state.json").stat().st_mode & 0o777 == 0o600


async def test_dots_that_a_page_shows_are_no_mask(client: Client) -> None:
    await client.data("navigate", {"url": data_url(f"<p>{'&bull;' * 6}</p>")})
    await client.data("verify.text", {"text": MASK})


async def test_secrets_in_urls_are_masked_and_not_remembered(
    client: Client, site: TestSite
) -> None:
    url = site.url(f"/form.html?token={SECRET}&page=2").replace("://", f"://ada:{SECRET}@")
    response = await client.send("navigate", {"url": url})
    assert response.ok, response.error
    assert response.inputs is not None
    assert response.inputs["url"] == url.replace(SECRET, MASK)
    assert response.context_delta is not None
    assert SECRET not in str(response.context_delta.url)
    assert SECRET not in str(await client.data("session.list", {"others": False}))
    # A request for the URL of the page returns it unmasked.
    assert SECRET in (await client.data("page.url"))["url"]
    folder = client.caller.workspace.profiles_dir / "default"
    assert SECRET not in (folder / "cache.json").read_text()
    assert (folder / "cache.json").stat().st_mode & 0o777 == 0o600
    missing = await client.send(
        "click", {"selector": f"a[href='/x?token={SECRET}']"}, overrides={"timeoutMs": 200}
    )
    assert missing.error is not None
    assert SECRET not in missing.to_json()


async def test_headers_of_a_route_are_masked_in_its_answer(client: Client) -> None:
    headers = {"Authorization": f"Bearer {SECRET}", "Cookie": f"a={SECRET}", "Accept": "*/*"}
    response = await client.send("route.add", {"pattern": "**/api", "headers": headers})
    listed = await client.send("route.list")
    await client.data("route.remove", {"pattern": "**/api"})
    for each in (response, listed):
        assert each.ok, each.error
        assert SECRET not in each.to_json()
        assert '"Accept":"*/*"' in each.to_json()
