"""`pw replay` and `pw convert`: recordings as tests."""

from __future__ import annotations

import signal
import sys
from xml.etree import ElementTree

import psutil

from pwtui.browser.launch.find_browser import find_chromium
from tests.daemon.house import House, eventually
from tests.repl.test_repl import is_busy
from tests.site import TestSite

GOOD = """\
goto {{base}}/form.html
fill Name {{who}}
click Submit
verify-text name={{who}}
localstorage-set seen yes
"""
BAD = """\
goto {{base}}/form.html
eval localStorage.getItem('seen')
verify-title Nope
click Submit
"""


FLOW = """\
goto {{base}}/form.html
fill getByLabel('Name') "Ada \\"L\\""
select #color green
check #agree
click getByRole('button', { name: 'Submit' })
verify-text color=green
verify-no-text color=red
verify-element button Submit
verify-no-element button Nope
verify-value #color green
verify-value #agree true
verify-title Form
verify-url /form.html
localstorage-set k v
cookie-set taste sweet
set-color-scheme dark
resize 800 600
route **/echo* --status 418 --body teapot
click #go-submit
verify-text teapot
unroute
goto {{base}}/dialogs.html
click #prompt
dialog-accept Ada
verify-text "prompt: Ada"
goto {{base}}/actions.html
press a
mousemove 10 10
mousewheel 0 10
drag #card #zone
verify-list #fruits Apple Pear
verify-list #fruits Apple Pear --exact
verify-no-list #fruits Apple --exact
verify-text "drop card"
goto {{base}}/frames.html
verify-no-text Nothing
goto {{base}}/popup.html
click #blank
tab-select 1
verify-text Hello
tab-close
verify-text Popup
tab-new {{base}}/text.html
wait-for-url /text.html
tab-close
"""
RUN = """
import sys
from playwright.sync_api import sync_playwright
source, executable = sys.argv[1:]
names = {}
exec(compile(open(source).read(), source, "exec"), names)
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=executable or None, args=["--no-sandbox"])
    names["test_flow"](browser.new_context().new_page())
"""


def test_a_folder_is_replayed_and_reported(house: House, site: TestSite) -> None:
    folder = house.root / "flows"
    folder.mkdir()
    (folder / "a.pw").write_text(GOOD)
    (folder / "b.pw").write_text(BAD)
    (folder / "c.pw").write_text("goto\nclik e5\n")
    given = ("--var", f"base={site.origin}", "--var", "who=s3cret", "--timeout", "8000")
    reports = ("--report", "out/junit.xml", "--report", "out/report.html")

    done = house("replay", "flows", *given, *reports)

    assert done.code == 1
    assert "PASS flows/a.pw (5 steps" in done.out
    assert "FAIL flows/b.pw (4 steps, 1 not run" in done.out
    assert "flows/b.pw:3: step 3 of 4: verify-title Nope" in done.out
    assert "flows/c.pw:2: unknown keyword: clik" in done.out
    assert "1 passed, 2 failed" in done.out
    root = ElementTree.parse(house.root / "out" / "junit.xml").getroot()
    counts = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "10", "failures": "1", "errors": "1", "skipped": "1"}
    attached = str(root.findtext(".//system-out")).splitlines()
    for line in attached:
        link = line.removeprefix("[[ATTACHMENT|").removesuffix("]]")
        assert (house.root / "out" / link).is_file()
    assert {line.rpartition(".")[2] for line in attached} == {"png]]", "html]]", "yml]]"}
    page = (house.root / "out" / "report.html").read_text()
    assert "1 passed, 2 failed" in page
    assert "<img src='../pw-replay/flows/b.pw/" in page
    assert "s3cret" not in page + done.out + (house.root / "out" / "junit.xml").read_text()
    # Each file had its own browser, which is closed.
    sessions = house("session", "list").json["data"]["sessions"]
    assert [each for each in sessions if "pw-replay-" in str(each.get("workspace"))] == []


def test_the_value_of_a_variable_is_nowhere_in_a_replay(house: House, site: TestSite) -> None:
    (house.root / "v.pw").write_text(
        "goto {{base}}/form.html\nfill Password {{password}}\nverify-text {{password}}\n"
    )
    (house.root / "broken.pw").write_text("click #a {{password}} --oops\n")
    house.more_environment["PW_VAR_PASSWORD"] = "hunter two/2"
    given = ("--var", f"base={site.origin}")
    reports = ("--report", "v.xml", "--report", "v.html")

    done = house("replay", "v.pw", "broken.pw", *given, *reports)

    assert done.code == 1
    assert "text '{{password}}' is not visible" in done.out
    written = "".join((house.root / name).read_text() for name in ("v.xml", "v.html"))
    assert "text '{{password}}' is not visible" in written
    for spelling in ("hunter two/2", "hunter%20two"):
        assert spelling not in done.out + done.err + written
    for path in (house.root / "pw-replay").rglob("*"):
        assert "hunter" not in path.name
        assert path.is_dir() or path.stat().st_mode & 0o777 == 0o600


def test_a_replay_uses_a_copy_of_a_profile(house: House, site: TestSite) -> None:
    """Its config and saved logins; nothing that the replay does comes back."""
    assert house("profile", "set", "member", f"baseUrl={site.origin}").code == 0
    for line in ("goto /form.html", "cookie-set login kept", "state.save output=in.json"):
        done = house(*line.split(), "-p", "member")
        assert done.code == 0, done.out + done.err
    assert house("session", "stop", "-p", "member").code == 0
    profile = house.root / "playwright/.pw-cli-v4/profiles/member"
    (profile / "auth").mkdir(exist_ok=True)
    (house.root / "in.json").rename(profile / "auth" / "in.json")
    (house.root / "m.pw").write_text(
        "goto /form.html\neval document.body.textContent = document.cookie\n"
        "verify-text login=kept\ncookie-set login changed\n"
    )

    with_profile = house("replay", "m.pw", "--profile", "member")
    again = house("replay", "m.pw", "--profile", "member", "--format", "json")
    without = house("replay", "m.pw")

    assert with_profile.out.startswith("PASS m.pw (4 steps"), with_profile.out + with_profile.err
    assert again.json["files"][0]["passed"]
    assert (without.code, "is relative" in without.out) == (1, True)
    assert "kept" in (profile / "auth" / "in.json").read_text()


def test_wrong_usage_is_reported_before_anything_runs(house: House) -> None:
    (house.root / "v.pw").write_text("goto {{base}}\nfill #a {{name}}\n")

    missing = house("replay", "v.pw")

    assert (missing.code, missing.out) == (2, "")
    assert "missing variables: base, name; set them with --var base=…" in missing.err
    assert house("replay", "no-such-file.pw").code == 2
    assert house("replay", "v.pw", "--var", "nonsense").code == 2
    assert house("replay", "v.pw", "--report", "r.pdf").code == 2
    assert house("replay", "v.pw", "--var", "base=x", "--var", "name=y", "--compare").code == 2


UNTRUSTED = [
    'run-code open("RAN", "w").write("x")',
    "goto file:///etc/passwd",
    "tab-new FILE:///etc/passwd",
    "upload #file /etc/passwd",
    "upload #file ok.txt ../secret.txt",
    "screenshot --filename ~/.bashrc",
    "page.eval file=/etc/passwd",
    "state-load ../../state.json",
    "har.set file=x.har",
    "connect kill=true",
]


def test_a_recording_acts_outside_the_page_only_when_it_is_allowed_to(house: House) -> None:
    (house.root / "theirs").mkdir()
    (house.root / "theirs" / "a.pw").write_text("\n".join(UNTRUSTED))

    done = house("replay", "theirs")

    assert (done.code, done.out) == (2, "")
    for number in range(1, len(UNTRUSTED) + 1):
        assert f"theirs/a.pw:{number}: " in done.err
    assert "replay it with --allow-code" in done.err
    assert not (house.root / "RAN").exists()


def test_steps_that_the_caller_allows_are_run(house: House, site: TestSite) -> None:
    (house.root / "in").mkdir()
    mine = house.root / "mine.txt"
    mine.write_text("x")
    (house.root / "in" / "code.pw").write_text(f"goto {site.url('/form.html')}\nrun-code 1 + 1\n")
    (house.root / "in" / "file.pw").write_text(
        f"goto {site.url('/actions.html')}\nupload #file {{{{mine}}}}\n"
    )

    allowed = house("replay", "in/code.pw", "--allow-code")
    named = house("replay", "in/file.pw", "--var", f"mine={mine}")
    refused = house.thin("repl", "-c", ".replay in/code.pw")
    replayed = house.thin("repl", "-c", ".replay in/code.pw --allow-code")

    assert allowed.code == 0, allowed.out + allowed.err
    assert named.code == 0, named.out + named.err
    assert refused.code == 1
    assert "--allow-code" in refused.err
    assert replayed.code == 0, replayed.err


def test_files_of_one_name_are_not_confused_and_an_empty_one_fails(
    house: House, site: TestSite
) -> None:
    for folder in ("a", "b"):
        (house.root / "same" / folder).mkdir(parents=True)
        script = f"goto {site.url('/form.html')}\neval missing.{folder}\n"
        (house.root / "same" / folder / "t.pw").write_text(script)
    (house.root / "same" / "c.pw").write_text("# nothing yet\n")

    done = house("replay", "same", "--report", "same.xml")
    unknown = house("replay", "same", "--profile", "nosuch")

    assert "FAIL same/c.pw\n  the recording has no steps" in done.out
    for folder in ("a", "b"):
        assert list((house.root / "pw-replay" / "same" / folder / "t.pw").glob("*.png"))
    cases = ElementTree.parse(house.root / "same.xml").getroot().iter("testcase")
    assert {case.get("classname") for case in cases} == {"same.a.t", "same.b.t", "same.c"}
    assert unknown.code == 2
    assert "nosuch" in unknown.err


def test_an_interrupted_replay_writes_its_report(house: House, site: TestSite) -> None:
    (house.root / "long").mkdir()
    (house.root / "long" / "a.pw").write_text(f"goto {site.url('/form.html')}\nwait 60000\n")
    (house.root / "long" / "b.pw").write_text("goto about:blank\n")
    process = house.start("replay", "long", "--report", "long.xml")
    eventually(lambda: is_busy(house), "the wait runs")

    psutil.Process(process.pid).send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode == 130
    root = ElementTree.parse(house.root / "long.xml").getroot()
    assert (root.get("tests"), root.get("errors")) == ("3", "2")
    assert root.findall(".//error")[0].get("message") == "interrupted before its end"


def test_a_recording_is_a_regression_test(house: House, site: TestSite) -> None:
    lines = f"""
        .record kept.ndjson
        goto {site.url("/form.html")}
        fill Name Ada
        click Submit
        text #result
        snapshot
        .save
    """
    assert house.thin("repl", input=lines.encode()).code == 0
    recorded = (house.root / "kept.ndjson").read_text()
    (house.root / "changed.ndjson").write_text(
        recorded.replace('"title": "Form"', '"title": "Farm"').replace("name=Ada", "name=Bob")
    )

    same = house("replay", "kept.ndjson", "--compare")
    changed = house("replay", "changed.ndjson", "--compare")

    assert same.code == 0, same.out
    assert changed.code == 1
    assert 'data.title: was "Farm", is "Form"' in changed.out
    assert "name=Bob" in changed.out
    assert "not run" not in changed.out


def test_recordings_are_converted_between_all_formats(house: House) -> None:
    (house.root / "one.pw").write_text("goto x.org\nclick #go\nverify-text Done\n")

    assert house("convert", "one.pw", "two.ndjson").code == 0
    assert house("convert", "two.ndjson", "test_three.py").code == 0
    back = house("convert", "test_three.py", "--to", "pw")

    assert back.out.splitlines()[2:] == ["goto x.org", "click #go", "verify-text Done"]
    assert house("convert", "one.pw").code == 2
    assert house("convert", "none.pw", "--to", "pw").code == 2
    (house.root / "refs.pw").write_text("goto x.org\nclick e5\n")
    refused = house("convert", "refs.pw", "--to", "pytest")
    assert refused.code == 1
    assert "refs.pw:2: click uses the ref e5" in refused.err


def test_a_script_and_the_test_made_of_it_both_pass(house: House, site: TestSite) -> None:
    (house.root / "flow.pw").write_text(FLOW)

    replayed = house("replay", "flow.pw", "--var", f"base={site.origin}", "--timeout", "5000")
    assert house("convert", "flow.pw", "test_flow.py").err == ""
    house.more_environment["BASE"] = site.origin
    command = [sys.executable, "-c", RUN]
    tested = house("test_flow.py", str(find_chromium(headless=True) or ""), command=command)

    assert replayed.code == 0, replayed.out
    assert tested.code == 0, tested.err
