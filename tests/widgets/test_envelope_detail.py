"""One entry in full."""

from __future__ import annotations

import json
from typing import Any

import pytest
from textual.binding import Binding

from pwtui.widgets.envelope_detail import LARGE_SECONDS, EnvelopeDetail
from pwtui.widgets.log_entry import LogEntry
from tests.widgets.log_samples import (
    NOON,
    Stage,
    count_lines_drawn,
    done,
    entry,
    failure,
    on_stage,
    success,
    until,
)

FULL = success(
    "screenshot",
    inputs={"path": "/srv/shots/a.png"},
    data={"width": 1280, "title": "[/bold] Orders"},
    contextDelta={"url": "https://acme.test/orders", "output": "/srv/shots/a.png"},
    effectiveRuntime={"profile": "acme-qa", "browser": "chromium", "timeoutMs": 5000},
    artifacts=[
        {"type": "screenshot", "path": "/srv/shots/a.png", "sizeBytes": 482_113},
        {"type": "html", "path": "/srv/shots/a.html"},
    ],
    diagnostics=[{"level": "warning", "message": "a dialog opened", "source": "page"}],
)
BROKEN = failure(
    code="SELECTOR_NOT_FOUND",
    message="no element matched '#go' within 5000 ms",
    hint="see page.aria",
    details={"selector": "#go", "timeoutMs": 5000},
)


def full() -> LogEntry:
    return entry(1, "screenshot", response=FULL, path="a.png")


def broken() -> LogEntry:
    return entry(2, "click", response=BROKEN, selector="#go")


def detail_of(shown: LogEntry | None) -> EnvelopeDetail:
    detail = EnvelopeDetail(clock=lambda: NOON + 10)
    detail.show(shown)
    return detail


def names_of(detail: EnvelopeDetail) -> tuple[str, ...]:
    return tuple(part.name for part in detail._detail_parts)


def row_of(stage: Stage[EnvelopeDetail], text: str) -> int:
    return next(row for row, line in enumerate(stage.screen_lines()) if text in line)


async def go_to(stage: Stage[EnvelopeDetail], text: str) -> None:
    detail = stage.shown
    lines = (line for line in range(detail.row_count) if text in detail.line_text(line))
    detail.move_to(next(lines))


# Parts -------------------------------------------------------------------------------------------


async def test_every_part_of_a_response_is_shown() -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, _):
        text = "\n".join(stage.screen_lines())

    assert names_of(stage.shown) == (
        "summary",
        "data",
        "contextDelta",
        "effectiveRuntime",
        "artifacts",
        "diagnostics",
        "request",
        "inputs",
    )
    for part in (
        "✓ screenshot",
        'request  {"schemaVersion": 5',
        '"title": "[/bold] Orders"',
        "https://acme.test/orders",
        "acme-qa · chromium · timeout 5000 ms",
        "482 kB  /srv/shots/a.png",
        "/srv/shots/a.html",
        "warning  a dialog opened  (page)",
        "61 ms",
    ):
        assert part in text


async def test_an_error_comes_first_with_its_hint() -> None:
    async with on_stage(detail_of(broken()), (100, 40)) as (stage, _):
        lines = stage.screen_lines()

    assert names_of(stage.shown)[:2] == ("summary", "error")
    start = next(row for row, line in enumerate(lines) if "✗ error" in line)
    assert [line.strip() for line in lines[start : start + 5]] == [
        "▾ ✗ error  SELECTOR_NOT_FOUND",
        "no element matched '#go' within 5000 ms",
        "→ see page.aria",
        "selector   #go",
        "timeoutMs  5000",
    ]


async def test_a_long_error_message_is_wrapped_at_each_width() -> None:
    message = " ".join(["word"] * 60)
    async with on_stage(detail_of(entry(1, response=failure(message=message))), (50, 40)) as (
        stage,
        pilot,
    ):
        narrow = sum("word" in line for line in stage.screen_lines())
        await pilot.resize_terminal(150, 40)
        await pilot.pause()
        wide = sum("word" in line for line in stage.screen_lines())

    assert (narrow, wide) == (7, 3)


async def test_nested_details_of_an_error_are_shown() -> None:
    nested = failure(details={"candidates": [{"ref": "e1"}]})
    async with on_stage(detail_of(entry(1, response=nested)), (80, 40)) as (stage, _):
        assert any('"ref": "e1"' in line for line in stage.screen_lines())


async def test_an_empty_detail_shows_a_hint() -> None:
    async with on_stage(detail_of(None), (80, 10)) as (stage, pilot):
        assert "Select a request" in stage.screen_lines()[0]
        await pilot.press("enter", "space", "o", "y", "n", "j", "G", "[", "]")
        await pilot.click(EnvelopeDetail, offset=(3, 3))

        assert stage.heard(EnvelopeDetail.CopyRequested) == []


async def test_hostile_text_is_shown_as_text() -> None:
    hostile = "\x1b]0;gone\x07[/bold][@click=app.quit]\u202e"
    nasty = entry(
        1,
        hostile,
        client=hostile,
        selector=hostile,
        response=success(
            data={hostile: hostile},
            contextDelta={"url": hostile},
            artifacts=[{"type": hostile, "path": hostile}],
            diagnostics=[{"level": hostile, "message": hostile}],
        ),
    )
    async with on_stage(detail_of(nasty), (200, 60)) as (stage, _):
        text = "".join(stage.screen_lines())

    assert text.count("[/bold][@click=app.quit]") >= 8
    assert not set(text) & {"\x1b", "\x07", "\u202e"}


@pytest.mark.parametrize(
    "strange",
    [
        {},
        {"ok": True, "data": None, "artifacts": None, "diagnostics": None, "contextDelta": None},
        {"ok": True, "data": [1], "artifacts": "x", "diagnostics": [1], "contextDelta": 5},
        {"ok": False, "error": None},
        {"ok": False, "error": {"message": None, "details": [1]}},
    ],
)
async def test_a_malformed_response_does_no_harm(strange: dict[str, Any]) -> None:
    async with on_stage(detail_of(entry(1, response=strange)), (80, 30)) as (stage, _):
        assert "request" in names_of(stage.shown)


# Folding -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_keys_fold_the_part_under_the_cursor(key: str) -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await go_to(stage, '"width"')
        await pilot.press(key)
        await pilot.pause()
        lines = stage.screen_lines()
        title = lines[stage.shown.cursor]
        assert title.startswith("▸ data")
        assert sum('"width"' in line for line in lines) == 1  # in the title

        await pilot.press(key)
        await pilot.pause()
        assert sum('"width"' in line for line in stage.screen_lines()) == 1
        assert stage.shown._detail_folded == {"request", "inputs"}


async def test_a_click_on_a_title_folds_and_one_on_a_line_does_not() -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await pilot.click(EnvelopeDetail, offset=(4, row_of(stage, "▾ data")))
        assert stage.shown._detail_folded == {"data", "request", "inputs"}

        await pilot.click(EnvelopeDetail, offset=(4, row_of(stage, "a.html")))
        assert stage.shown._detail_folded == {"data", "request", "inputs"}


async def test_a_folded_part_stays_folded_for_other_entries() -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await go_to(stage, "▸ request")
        await pilot.press("space")

        stage.shown.show(broken())
        await pilot.pause()

        assert any("▾ request" in line for line in stage.screen_lines())
        assert any(line.strip().startswith('"op"') for line in stage.screen_lines())


async def test_long_lines_are_wrapped() -> None:
    shown = entry(1, "page.eval", response=success(data={"text": "word " * 60}), expression="x")
    async with on_stage(detail_of(shown), (60, 40)) as (stage, pilot):
        await pilot.pause()
        assert sum("word" in line for line in stage.screen_lines()) == 6
        assert stage.shown.max_scroll_x == 0


async def test_the_change_of_the_url_is_shown() -> None:
    answer = success(contextDelta={"url": "https://acme.test/home"})
    shown = LogEntry(
        1, NOON, "a", "b", "click", {"op": "click"}, answer, place="https://acme.test/in"
    )
    async with on_stage(detail_of(shown), (80, 40)) as (stage, _):
        assert any("url  acme.test/in → /home" in line for line in stage.screen_lines())


async def test_parentheses_go_from_part_to_part() -> None:
    async with on_stage(detail_of(full()), (100, 20)) as (stage, pilot):
        seen = []
        for key in (")", ")", "j", "(", "(", "(", "("):
            await pilot.press(key)
            seen.append(stage.shown.line_text(stage.shown.cursor).split("  ")[0])

    data, delta, top = "▾ data", "▾ contextDelta", "✓ screenshot → a.png, a.html"
    assert seen == [data, delta, "", delta, data, top, top]


# Artifacts and copies ----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["enter", "o"])
async def test_keys_open_the_artifact_under_the_cursor(key: str) -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await go_to(stage, "/srv/shots/a.html")
        await pilot.press(key)

        (posted,) = stage.heard(EnvelopeDetail.ArtifactOpened)
        assert posted.path == "/srv/shots/a.html"
        assert posted.control is stage.shown


async def test_o_elsewhere_opens_the_first_artifact() -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await pilot.press("o")

        assert [posted.path for posted in stage.heard(EnvelopeDetail.ArtifactOpened)] == [
            "/srv/shots/a.png"
        ]


async def test_a_click_opens_an_artifact() -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await pilot.click(EnvelopeDetail, offset=(30, row_of(stage, "/srv/shots/a.html")))

        assert [posted.path for posted in stage.heard(EnvelopeDetail.ArtifactOpened)] == [
            "/srv/shots/a.html"
        ]


@pytest.mark.parametrize(
    ("text", "what"),
    [("▾ data", "data"), ('"width"', "data"), ("▾ effectiveRuntime", "effectiveRuntime")],
)
async def test_y_copies_the_part_under_the_cursor(text: str, what: str) -> None:
    async with on_stage(detail_of(full()), (100, 60)) as (stage, pilot):
        await go_to(stage, text)
        await pilot.press("y")

        (posted,) = stage.heard(EnvelopeDetail.CopyRequested)
        assert json.loads(posted.text) == FULL[what]


async def test_the_error_and_the_artifacts_are_copied_as_text() -> None:
    async with on_stage(detail_of(broken()), (100, 60)) as (stage, pilot):
        await go_to(stage, "✗ error")
        await pilot.press("y")
        stage.shown.show(full())
        await go_to(stage, "▾ artifacts")
        await pilot.press("y")
        await pilot.press("g", "y")

        error, artifacts, summary = stage.heard(EnvelopeDetail.CopyRequested)
        assert error.text.startswith("SELECTOR_NOT_FOUND: no element matched")
        assert artifacts.text == "/srv/shots/a.png\n/srv/shots/a.html"
        assert summary.text == full().summary


def test_every_key_has_an_id_and_a_description() -> None:
    bindings = EnvelopeDetail._merged_bindings
    assert bindings is not None
    for _, binding in bindings:
        assert isinstance(binding, Binding)
        assert binding.id
        assert binding.description


# Pending, then finished --------------------------------------------------------------------------


async def test_a_running_request_shows_its_time_and_then_its_response() -> None:
    now = [NOON + 2.5]
    running = entry(0, "navigate", url="https://acme.test")
    detail = EnvelopeDetail(clock=lambda: now[0])
    detail.show(running)
    async with on_stage(detail, (100, 60)) as (stage, pilot):
        assert "◐ navigate" in stage.screen_lines()[0]
        assert any("running for 2.5 s" in line for line in stage.screen_lines())

        now[0] += 1
        await until(lambda: "running for 3.5 s" in "".join(stage.screen_lines()), pilot)

        running.answer(running.request, BROKEN)
        await until(lambda: "✗ error" in "".join(stage.screen_lines()), pilot)
        assert not any("running" in line for line in stage.screen_lines())


async def test_the_scroll_position_is_kept_when_the_response_arrives() -> None:
    running = entry(0)
    async with on_stage(detail_of(running), (100, 60)) as (stage, pilot):
        await go_to(stage, '"op"')

        running.answer(running.request, BROKEN)
        stage.shown.show(running)
        await pilot.pause()

        assert '"op"' in stage.shown.line_text(stage.shown.cursor)


async def test_another_entry_is_shown_from_its_start() -> None:
    async with on_stage(detail_of(full()), (100, 10)) as (stage, pilot):
        await pilot.press("G")
        stage.shown.show(broken())
        await pilot.pause()

        assert stage.shown.cursor == 0
        assert "✗ click" in stage.screen_lines()[0]


# Large data --------------------------------------------------------------------------------------


def large() -> LogEntry:
    row = {"name": "Order", "price": 1.5, "tags": ["a", "b"], "ok": True}
    return entry(
        1, "page.eval", response=success(data={"rows": [row | {"id": n} for n in range(30_000)]})
    )


@pytest.mark.usefixtures("every_frame")
async def test_large_data_is_prepared_once_and_drawn_by_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = large()
    async with on_stage(detail_of(None), (120, 40)) as (stage, pilot):
        stage.shown.show(shown)
        assert stage.shown.row_count < 60
        assert any("preparing" in stage.shown.line_text(line) for line in range(30))

        await until(lambda: stage.shown.row_count > 250_000, pilot)
        await pilot.pause()
        assert any("lines" in line and "data" in line for line in stage.screen_lines())

        monkeypatch.setattr("pwtui.widgets.envelope_parts.json_lines", pytest.fail)
        drawn = count_lines_drawn(stage.shown, monkeypatch)
        for key in ("G", "g", "pagedown", "down"):
            drawn.clear()
            await pilot.press(key)
            await pilot.pause()
            assert 0 < len(drawn) <= 44
        stage.shown.show(shown)
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert stage.shown.row_count > 250_000


async def test_folded_large_data_is_never_prepared() -> None:
    async with on_stage(detail_of(full()), (120, 60)) as (stage, pilot):
        await go_to(stage, "▾ data")
        await pilot.press("space")

        stage.shown.show(large())
        await pilot.pause(3 * LARGE_SECONDS)

        assert stage.shown.row_count < 60


async def test_moving_away_before_large_data_is_ready_does_not_render_it() -> None:
    async with on_stage(detail_of(large()), (120, 60)) as (stage, pilot):
        stage.shown.show(done(2))
        await pilot.pause(3 * LARGE_SECONDS)

        assert stage.shown.row_count < 60


async def test_find_works_in_the_detail() -> None:
    async with on_stage(detail_of(full()), (100, 20)) as (stage, pilot):
        stage.shown.search("chromium")
        await pilot.pause()
        assert "chromium" in stage.shown.line_text(stage.shown.cursor)

        stage.shown.search("nowhere")
        await pilot.pause()
        assert stage.heard(EnvelopeDetail.SearchMissed)
