"""`pw profile`: list, create, change and edit profiles."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cli.pw import Pw, Result


@pytest.fixture
def pw(handed: Pw) -> Pw:
    return handed


def put(pw: Pw, name: str, config: dict[str, Any]) -> Path:
    path = pw.root / "playwright/.pw-cli-v4/profiles" / name / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config))
    return path


def edit(pw: Pw, name: str, script: str, **environment: str) -> Result:
    """`pw profile edit` with an editor that runs a script on the file `draft`."""
    editor = pw.root / f"editor of {name.replace('/', '-')}.py"
    editor.write_text(
        "import json, sys\nfrom pathlib import Path\ndraft = Path(sys.argv[1])\n" + script
    )
    command = {"EDITOR": f"'{sys.executable}' '{editor}'", "VISUAL": ""}
    return pw("profile", "edit", name, environment=command | {"TMPDIR": str(pw.root)} | environment)


def draft_of(result: Result) -> Path:
    found = re.search(r"(/\S+\.json)", result.err)
    assert found, result.err
    return Path(found[1])


def drafts(pw: Pw) -> list[Path]:
    return sorted(pw.root.glob("pw-*.json"))


def test_profiles_are_set_shown_listed_and_deleted(pw: Pw) -> None:
    (pw.root / "new.json").write_text('{"defaults": {"timeoutMs": 5000}, "colour": "teal"}')

    written = pw("profile", "set", "dev", "--file", "new.json")
    shown, listed = pw.each([("profile", "show", "dev"), ("profile", "list")])
    deleted = pw("profile", "delete", "dev")

    assert written.json["data"] == {"profile": "dev", "written": True}
    assert "colour" in written.json["diagnostics"][0]["message"]
    assert shown.json["data"] == {
        "schema": 4,
        "defaults": {"timeoutMs": 5000},
        "network": {},
        "downloads": {},
        "colour": "teal",
    }
    assert listed.json["data"] == {"profiles": ["dev"]}
    assert deleted.json["data"] == {"profile": "dev", "removed": True, "canRestore": True}
    assert [each.code for each in (written, shown, listed, deleted)] == [0] * 4


def test_reading_profiles_creates_none(pw: Pw) -> None:
    commands = [("profile", "list"), ("profile", "show", "dev"), ("profile", "delete", "dev")]
    listed, shown, deleted = pw.each(commands)

    assert [each.code for each in (listed, shown, deleted)] == [0, 1, 1]
    assert not (pw.root / "playwright").exists()


def test_profiles_are_created_copied_and_renamed(pw: Pw) -> None:
    put(pw, "prod", {"defaults": {"timeoutMs": 5000}})

    created, copied = pw.each([("profile", "create", "new"), ("profile", "copy", "prod", "dev")])
    renamed, taken = pw("profile", "rename", "dev", "test"), pw("profile", "create", "prod")

    assert created.json["data"] == {"profile": "new", "created": True}
    assert copied.json["data"] == {"profile": "dev", "copiedFrom": "prod"}
    assert renamed.json["data"] == {"profile": "test", "renamedFrom": "dev"}
    assert (taken.code, taken.json["error"]["code"]) == (1, "INVALID_INPUT")
    assert pw("profile", "list").json["data"] == {"profiles": ["new", "prod", "test"]}
    assert pw("profile", "show", "test").json["data"]["defaults"] == {"timeoutMs": 5000}


def test_a_config_that_cannot_be_set_changes_nothing(pw: Pw) -> None:
    path = put(pw, "dev", {"protectedUrls": ["a"]})
    before = path.read_bytes()
    (pw.root / "broken.json").write_text("{")
    (pw.root / "wrong.json").write_text('{"defaults": {"timeoutMs": "soon"}}')

    files = ("none.json", "broken.json", "wrong.json")
    missing, broken, wrong = pw.each(("profile", "set", "dev", "--file", file) for file in files)

    assert [each.code for each in (missing, broken, wrong)] == [1, 1, 1]
    assert missing.json["error"]["code"] == "IO_ERROR"
    assert broken.json["error"]["code"] == "INVALID_INPUT"
    assert wrong.json["error"]["message"].startswith("defaults.timeoutMs: must be a whole number")
    assert path.read_bytes() == before


def test_no_name_leads_out_of_the_profiles_folder(pw: Pw) -> None:
    path = put(pw, "dev", {})

    for result in pw.each([("profile", "delete", "."), ("profile", "delete", "..")]):
        assert result.code == 1
        assert result.json["error"]["code"] == "INVALID_INPUT"
    assert path.exists()


# Editing -----------------------------------------------------------------------------------------

CHANGE = """
config = json.loads(draft.read_text())
config["defaults"]["timeoutMs"] = 7
draft.write_text(json.dumps(config))
"""


def test_a_valid_edit_is_saved_and_the_draft_deleted(pw: Pw) -> None:
    path = put(pw, "dev", {"defaults": {"baseUrl": "https://a"}, "colour": "teal"})

    result = edit(pw, "dev", CHANGE)

    assert (result.code, result.err) == (0, "")
    assert result.json["data"] == {"profile": "dev", "written": True}
    saved = json.loads(path.read_text())
    assert saved["defaults"] == {"baseUrl": "https://a", "timeoutMs": 7}
    assert saved["colour"] == "teal"
    assert drafts(pw) == []


def test_editing_creates_a_new_profile(pw: Pw) -> None:
    put(pw, "news", {})

    result = edit(pw, "new", CHANGE)

    assert result.code == 0
    assert result.err == "profile 'new' is new; did you mean news?\n"
    path = pw.root / "playwright/.pw-cli-v4/profiles/new/config.json"
    assert json.loads(path.read_text())["defaults"] == {"timeoutMs": 7}


def test_a_name_is_normalised_before_it_is_edited(pw: Pw) -> None:
    result = edit(pw, "prod/team A", CHANGE)

    assert result.code == 0, result.err
    assert result.json["data"]["profile"] == "prod-team-A"


INVALID = {
    "broken": ('{"defaults": ', "not JSON"),
    "list": ("[]", "not a JSON object"),
    "wrong": ('{"defaults": {"timeoutMs": "soon"}}', "defaults.timeoutMs"),
}


def test_an_invalid_edit_is_not_saved_and_the_draft_is_kept_and_named(pw: Pw) -> None:
    before = {name: put(pw, name, {"protectedUrls": ["a"]}).read_bytes() for name in INVALID}
    with ThreadPoolExecutor() as pool:
        scripts = [f"draft.write_text({content!r})" for content, _ in INVALID.values()]
        results = list(pool.map(lambda name, script: edit(pw, name, script), INVALID, scripts))

    for result, (name, (content, problem)) in zip(results, INVALID.items(), strict=True):
        assert (result.code, result.out) == (1, ""), name
        assert "not saved" in result.err
        assert problem in result.err
        assert draft_of(result).read_text() == content
        path = pw.root / "playwright/.pw-cli-v4/profiles" / name / "config.json"
        assert path.read_bytes() == before[name]


def test_an_edit_of_a_config_that_was_changed_meanwhile_is_refused_and_kept(pw: Pw) -> None:
    path = put(pw, "dev", {})
    meanwhile = '{"schema": 4, "protectedUrls": ["from another program"]}'

    result = edit(pw, "dev", CHANGE + f"Path({str(path)!r}).write_text({meanwhile!r})")

    assert (result.code, result.out) == (1, "")
    assert "changed by another program" in result.err
    assert json.loads(draft_of(result).read_text())["defaults"] == {"timeoutMs": 7}
    assert path.read_text() == meanwhile


def test_an_editor_that_fails_changes_nothing(pw: Pw) -> None:
    path = put(pw, "dev", {"protectedUrls": ["a"]})
    before = path.read_bytes()

    result = edit(pw, "dev", CHANGE + "sys.exit(3)")

    assert (result.code, result.out) == (1, "")
    assert "code 3" in result.err
    assert json.loads(draft_of(result).read_text())["defaults"] == {"timeoutMs": 7}
    assert path.read_bytes() == before


def test_an_editor_that_does_not_exist_is_named(pw: Pw) -> None:
    result = edit(pw, "dev", "", EDITOR="no-such-editor --wait")

    assert (result.code, result.out) == (1, "")
    assert "no-such-editor" in result.err
    assert "EDITOR" in result.err
    assert "Traceback" not in result.err


def test_visual_takes_precedence_over_editor(pw: Pw) -> None:
    result = edit(pw, "dev", "", EDITOR="false", VISUAL="true")

    assert result.code == 0


def test_a_config_that_is_not_ascii_can_be_edited_in_any_locale(pw: Pw) -> None:
    path = put(pw, "dev", {"protectedUrls": ["bücher.example"]})
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    result = edit(pw, "dev", "", **plain)

    assert result.code == 0, result.err
    assert json.loads(path.read_text())["protectedUrls"] == ["bücher.example"]


def test_only_the_user_can_read_a_draft(pw: Pw) -> None:
    put(pw, "dev", {})

    result = edit(pw, "dev", "print(oct(draft.stat().st_mode & 0o777), file=sys.stderr)")

    assert result.err == "0o600\n"


def test_settings_are_changed_one_by_one(handed: Pw) -> None:
    first = handed("profile", "set", "dev", "baseUrl=http://127.0.0.1:1/", "headless=false")
    second = handed("profile", "set", "dev", "timeoutMs=500", 'protectedUrls:=["/admin"]')
    third = handed("profile", "set", "dev", "downloads.dir=saved", "headless:=null")
    config = handed("profile", "show", "dev").json["data"]

    assert [each.code for each in (first, second, third)] == [0, 0, 0]
    assert config["defaults"] == {"baseUrl": "http://127.0.0.1:1/", "timeoutMs": 500}
    assert config["downloads"] == {"dir": "saved"}
    assert config["protectedUrls"] == ["/admin"]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("basUrl=x", "a profile has no field basUrl; did you mean baseUrl?"),
        ("headless=maybe", "headless takes boolean, not 'maybe'"),
        ("baseUrl", "'baseUrl' is not NAME=VALUE or NAME:=JSON"),
    ],
)
def test_an_unknown_setting_is_wrong_usage(handed: Pw, setting: str, message: str) -> None:
    refused = handed("profile", "set", "dev", setting)

    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert handed("profile", "list", "--get", "data.profiles").out == "[]\n"


def test_the_operation_refuses_an_unknown_setting(handed: Pw) -> None:
    unknown = handed("exec", "profile.set", "name=dev", 'settings:={"basUrl": "x"}')
    wrong = handed("exec", "profile.set", "name=dev", 'settings:={"browser": "lynx"}')
    dotted = handed("exec", "profile.set", "name=dev", 'settings:={"defaults.browser": "firefox"}')

    assert unknown.json["error"]["message"] == "settings: there is no setting 'basUrl'"
    assert unknown.json["error"]["hint"] == "did you mean baseUrl?"
    assert (wrong.code, wrong.json["error"]["code"]) == (1, "INVALID_INPUT")
    assert dotted.code == 0
    assert handed("profile", "show", "dev", "--get", "data.defaults.browser").out == "firefox\n"
