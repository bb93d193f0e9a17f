"""The form: from real schemas, with every kind of field, losing nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from pydantic import BaseModel, ValidationError
from textual import events
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot, _get_mouse_message_arguments
from textual.widget import Widget

from pwtui.operations.framework.declare import operations
from pwtui.state.config import ProfileConfig
from pwtui.widgets.form_controls import ChoiceControl, FieldControl, TextControl
from pwtui.widgets.schema_fields import Field, FieldKind, Section, read_schema
from pwtui.widgets.schema_form import FieldRow, FormProblem, SchemaForm, Validator
from tests.waiting import LIMIT, until
from tests.widgets.support import HOSTILE, controls, shadowing, shown

EVERYTHING: dict[str, Any] = {
    "type": "object",
    "required": ["name", "sure"],
    "properties": {
        "note": {"type": "string", "default": "none", "description": "A note."},
        "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "ratio": {"type": "number"},
        "mode": {"enum": ["fast", "slow", "fair"], "default": "slow"},
        "flag": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "raw": {"type": "object", "additionalProperties": True},
        "old": {"type": "string", "deprecated": True},
        "ref": {"type": "string", "description": "A ref."},
        "inner": {"$ref": "#/$defs/Inner"},
        "name": {"type": "string", "description": "Its name."},
        "sure": {"type": "boolean"},
    },
    "$defs": {
        "Inner": {
            "type": "object",
            "description": "More.",
            "required": ["deep"],
            "properties": {
                "width": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "deep": {"const": "only"},
            },
        }
    },
}
NESTED: dict[str, Any] = {
    "properties": {"inner": {"$ref": "#/$defs/Inner"}},
    "$defs": {
        "Inner": {
            "type": "object",
            "properties": {
                "width": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "deep": {"const": "only"},
                "self": {"$ref": "#/$defs/Inner"},
            },
        }
    },
}


def validator_of(model: type[BaseModel]) -> Validator:
    def find_problems(value: dict[str, Any]) -> list[FormProblem]:
        try:
            model.model_validate(value)
        except ValidationError as error:
            return [(".".join(map(str, e["loc"])), e["msg"]) for e in error.errors()]
        return []

    return find_problems


class Filling(App[None]):
    ENABLE_COMMAND_PALETTE = False
    pilot: Pilot[None]

    def __init__(self, form: SchemaForm) -> None:
        super().__init__()
        self.form = form
        self.changes: list[dict[str, Any]] = []
        self.submitted: list[dict[str, Any]] = []
        self.picks: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.form

    def on_mount(self) -> None:
        self.form.focus_first()

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        assert event.control is self.form
        self.changes.append(event.value)

    def on_schema_form_submitted(self, event: SchemaForm.Submitted) -> None:
        self.submitted.append(event.value)

    def on_schema_form_ref_pick_requested(self, event: SchemaForm.RefPickRequested) -> None:
        self.picks.append(event.field)

    def go(self, field: str) -> FieldControl:
        control = self.control(field)
        control.focus()
        return control

    def control(self, field: str) -> FieldControl:
        return next(r.control for r in self.query(FieldRow) if r.field.key == field)

    def row(self, field: str) -> FieldRow:
        return next(r for r in self.query(FieldRow) if r.field.key == field)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared_app() -> AsyncIterator[Filling]:
    """One running app for all tests without a special form."""
    app = Filling(SchemaForm(EVERYTHING))
    is_ready, is_done = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        # Textual wants to be left in the task that entered it.
        async with app.run_test(size=(80, 40)) as app.pilot:
            is_ready.set()
            await is_done.wait()

    task = asyncio.create_task(run())
    await asyncio.wait_for(is_ready.wait(), LIMIT)
    yield app
    is_done.set()
    await asyncio.wait_for(task, LIMIT)


@pytest_asyncio.fixture
async def app(shared_app: Filling) -> AsyncIterator[Filling]:
    """The shared app with an empty form and the focus in its first field."""
    with shared_app._context():
        shared_app.screen.set_focus(None)
        shared_app.form._form_validator = None
        shared_app.form.set_value({})
        shared_app.form.focus_first()
        first = shared_app.control("name")
        await until(lambda: first.has_focus and first.region.area, "the focus")
        await shared_app.pilot.pause()
        heard = shared_app.changes, shared_app.submitted, shared_app.picks
        for each in heard:
            each.clear()
        yield shared_app


async def becomes(app: Filling, field: str, value: Any) -> None:
    await until(lambda: app.form.value().get(field) == value, f"{field} is {value!r}")


async def slow_click(pilot: Pilot[None], control: FieldControl, x: int) -> None:
    """As over a slow line: long pauses after each event of the mouse. Nothing moves under it."""
    region = control.region
    where = _get_mouse_message_arguments(control, (x, 0), button=1)
    for kind in (events.MouseDown, events.MouseUp, events.Click):
        assert control.region == region, f"moved before {kind.__name__}"
        pilot.app.screen._forward_event(kind(**where))
        await pilot.pause(0.3)


async def type_into(app: Filling, field: str, keys: list[str]) -> None:
    """All keys at once into a field of an empty form."""
    app.form.set_value({})
    app.changes.clear()
    control = app.go(field)
    await until(lambda: control.has_focus, f"the focus in {field}")
    for key in keys:
        letter = " " if key == "space" else key
        app.post_message(events.Key(key, letter if len(letter) == 1 else None))


# Reading schemas ---------------------------------------------------------------------------------


def test_each_property_becomes_a_field_of_its_kind() -> None:
    group = read_schema(EVERYTHING)
    kinds = {field.key: field.kind for field in group.fields()}

    assert list(kinds)[:2] == ["name", "sure"]
    assert kinds["count"] is kinds["ratio"] is kinds["inner.width"] is FieldKind.TEXT
    assert kinds["mode"] is kinds["flag"] is kinds["inner.deep"] is FieldKind.CHOICE
    assert kinds["tags"] is kinds["sizes"] is FieldKind.LIST
    assert kinds["raw"] is FieldKind.JSON
    assert "old" not in kinds
    assert isinstance(group.parts[-1], Section)


def test_a_schema_that_contains_itself_ends() -> None:
    deepest = max(len(field.path) for field in read_schema(NESTED).fields())

    assert deepest <= 7


ODD: list[dict[str, Any]] = [
    {},
    {"properties": {"a": {}}},
    {"properties": {"a": {"$ref": "#/$defs/Nowhere"}}},
    {"properties": {"a": {"type": ["string", "null"]}}},
    {"properties": {"a": {"allOf": [{"type": "string"}]}}},
    {"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "array"}]}}},
    {"properties": {"a": {"type": "array"}}},
    {"properties": {"a": {"type": "null"}}},
    {"properties": {"a": {"$ref": "#/properties/a"}}},
]


async def test_odd_schemas_still_make_a_form() -> None:
    app = Filling(SchemaForm({}))
    async with app.run_test() as pilot:
        for schema in ODD:
            await app.form.remove()
            app.form = SchemaForm(schema)
            await app.mount(app.form)
            app.form.focus_first()
            await pilot.press("enter", "tab")

            assert app.form.value() == {}, schema


async def test_the_forms_of_operations_return_their_examples() -> None:
    """The operation with the most fields of each family."""
    largest = {
        each.info.family: each
        for each in sorted(operations().values(), key=lambda it: len(it.input.model_fields))
    }
    app = Filling(SchemaForm({}))
    async with app.run_test(size=(100, 40)):
        for count, operation in enumerate(largest.values()):
            validator = validator_of(operation.input)
            form = SchemaForm(operation.input.model_json_schema(), validator=validator)
            form.set_value(dict(operation.example))

            assert form.value() == dict(operation.example), operation.id
            assert form._find_problems(form.value()) == [], operation.id
            if count % 8 == 0:
                # Mounting takes most of the time, and is the same for all.
                await app.mount(form)
                assert form.submit(), operation.id
                await form.remove()


async def test_a_profile_can_be_edited_without_losing_anything() -> None:
    config = {
        "schema": 4,
        "future": {"x": [1, 2]},
        "defaults": {"browser": "firefox", "timeoutMs": 5000, "shiny": True},
        "har": {"path": "a.har", "mode": "minimal", "omitContent": False},
        "network": {"blockPatterns": ["*.{png,jpg}", "a,b"]},
        "protectedUrls": [],
    }
    form = SchemaForm(
        ProfileConfig.model_json_schema(), config, validator=validator_of(ProfileConfig)
    )
    app = Filling(form)
    async with app.run_test(size=(100, 40)) as pilot:
        assert form.value() == config

        app.go("defaults.timeoutMs")
        await pilot.press("end", "0")
        app.go("defaults.headless")
        await pilot.press("right")

        config["defaults"] = {**config["defaults"], "timeoutMs": 50000, "headless": True}  # type: ignore[dict-item]
        assert form.value() == config
        assert app.changes[-1] == config


# Fields ------------------------------------------------------------------------------------------


async def test_an_empty_form_has_no_value_but_its_switches(app: Filling) -> None:
    assert app.form.value() == {"sure": False}


FILLED: list[tuple[str, str, object]] = [
    ("note", "h i", "hi"),
    ("note", "space", " "),
    ("count", "4 2", 42),
    ("count", "- 1", -1),
    ("count", "x", "x"),
    ("ratio", "1 . 5", 1.5),
    ("ratio", "2", 2),
    ("mode", "right", "fair"),
    ("mode", "left", "fast"),
    ("mode", "space", "fast"),
    ("mode", "f", "fast"),
    ("mode", "f f", "fair"),
    ("mode", "f f f", "fast"),
    ("mode", "s", "slow"),
    ("mode", "right right right", "fair"),
    ("flag", "left", True),
    ("flag", "y", True),
    ("flag", "n", False),
    ("sure", "y", True),
    ("tags", "a enter enter b , c", ["a", "b,c"]),
    ("tags", '[ " a " ]', ["a"]),
    ("sizes", "1 enter 2", [1, 2]),
    ("raw", "{ }", {}),
    ("raw", "{", "{"),
]


async def test_keys_fill_in_a_field(app: Filling) -> None:
    for field, keys, value in FILLED:
        await type_into(app, field, keys.split())
        await becomes(app, field, value)

        assert type(app.form.value()[field]) is type(value), (field, keys)
        await until(lambda: app.changes[-1:] == [app.form.value()], "the change is heard")


EMPTIED = [
    ("note", "h backspace"),
    ("mode", "right backspace"),
    ("mode", "right delete"),
    ("mode", "space space space space"),
    ("tags", "a backspace"),
    ("raw", "1 backspace"),
]


async def test_an_emptied_field_is_absent(app: Filling) -> None:
    for field, keys in EMPTIED:
        count = len(keys.split())
        await type_into(app, field, keys.split())
        await until(lambda n=count: len(app.changes) == n, "a change for each key")  # type: ignore[misc]

        assert app.form.value() == {"sure": False}, (field, keys)


async def test_a_required_switch_is_always_yes_or_no(app: Filling) -> None:
    app.go("sure")
    await app.pilot.press("backspace", "space", "space", "left")
    assert app.form.value()["sure"] is True

    await app.pilot.press("space")
    assert app.form.value()["sure"] is False


async def test_nested_fields_make_nested_values() -> None:
    app = Filling(SchemaForm(NESTED))
    async with app.run_test(size=(80, 60)) as pilot:
        app.go("inner.width")
        await pilot.press(*"12")
        app.go("inner.self.deep")
        await pilot.press("space")

        assert app.form.value()["inner"] == {"width": 12, "self": {"deep": "only"}}
        await pilot.press("backspace")
        app.go("inner.width")
        await pilot.press("backspace", "backspace", "x")
        assert app.form.value()["inner"] == {"width": "x"}


async def test_empty_fields_show_defaults_and_descriptions(app: Filling) -> None:
    text = shown(app.form)

    assert "note none" in " ".join(text.split())
    assert "Its name." in text
    assert "name*" in text
    assert "○ fast  ◌ slow  ○ fair" in text
    assert "inner  More." in text
    assert "old" not in text


async def test_many_choices_show_one_at_a_time_where_they_do_not_fit() -> None:
    choices = [f"choice-{i}" for i in range(12)]
    app = Filling(SchemaForm({"properties": {"one": {"enum": choices}}}))
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.press("right", "right")
        await until(lambda: "choice-1 2/12" in shown(app.form), "choice-1 2/12")

        await pilot.click(ChoiceControl, offset=(30, 0))
        await pilot.click(ChoiceControl, offset=(30, 0))
        await pilot.click(ChoiceControl, offset=(1, 0))
        assert app.form.value() == {"one": "choice-2"}


async def test_choices_can_be_selected_and_deselected_by_click(app: Filling) -> None:
    mode = app.control("mode")
    await until(lambda: mode.region.area, "a place on the screen")
    await app.pilot.click(mode, offset=(18, 0))
    await becomes(app, "mode", "fair")
    await app.pilot.click(mode, offset=(2, 0))
    await becomes(app, "mode", "fast")
    await app.pilot.click(mode, offset=(2, 0))
    await becomes(app, "mode", None)
    await app.pilot.click(mode, offset=(60, 0))
    assert "mode" not in app.form.value()


async def test_no_row_moves_while_a_mouse_button_is_down() -> None:
    schema = {**EVERYTHING, "required": ["name", "mode"]}
    app = Filling(SchemaForm(schema))
    async with app.run_test(size=(80, 40)) as pilot:
        mode, flag = app.control("mode"), app.control("flag")
        name = app.go("name")
        await until(lambda: mode.region.area and name.has_focus, "the focus")

        await slow_click(pilot, mode, 18)
        assert app.form.value()["mode"] == "fair"
        await until(lambda: "is required" in shown(app.row("name")), "is required")
        app.form.set_value({})
        await slow_click(pilot, flag, 2)
        assert app.form.value()["flag"] is True
        await until(lambda: "is required" in shown(app.row("mode")), "is required")


async def test_pasted_lines_are_kept_and_the_field_grows(app: Filling) -> None:
    note = app.go("note")
    app.post_message(events.Paste("one\ntwo"))
    await app.pilot.pause()
    await app.pilot.press("alt+enter", "x")
    await app.pilot.pause()

    assert app.form.value()["note"] == "one\ntwo\nx"
    assert note.size.height == 3


# Given values ------------------------------------------------------------------------------------


GIVEN: list[dict[str, Any]] = [
    {"note": "", "tags": [], "raw": {}},
    {"note": "a\r\nb\x1b[31m\u2028c", "tags": ["x\ny", "", " z "]},
    {"count": "many", "mode": "unheard", "flag": "yes", "tags": "x", "sizes": [1, "b"]},
    {"inner": "not an object", "old": "kept", "more": {"a": 1}},
    {"inner": {"width": 3, "unknown": [1]}, "raw": {"a": [1, {"b": None}] * 20}},
    {"flag": 1, "mode": True},
]


async def test_given_values_are_returned_unchanged(app: Filling) -> None:
    for value in GIVEN:
        app.form.set_value(value)
        await app.pilot.pause()

        assert app.form.value() == {"sure": False} | value
        assert controls(app) == set()
        assert app.changes == []


async def test_null_is_absent(app: Filling) -> None:
    app.form.set_value({"count": None, "inner": None, "note": "x"})

    assert app.form.value() == {"note": "x", "sure": False}


async def test_a_group_replaces_a_value_that_is_not_an_object(app: Filling) -> None:
    app.form.set_value({"inner": 7})
    app.go("inner.width")
    await app.pilot.press("1")

    assert app.form.value()["inner"] == {"width": 1}


async def test_the_given_value_is_not_changed(app: Filling) -> None:
    given = {"inner": {"width": 1, "x": []}, "tags": ["a"]}
    app.form.set_value(given)
    app.go("tags")
    await app.pilot.press("b")
    app.form.value()["inner"]["x"].append(1)

    assert given == {"inner": {"width": 1, "x": []}, "tags": ["a"]}
    assert app.form.value()["inner"] == {"width": 1, "x": []}


async def test_one_field_can_be_filled_in_by_code(app: Filling) -> None:
    app.form.fill("ref", "e27")
    await app.pilot.pause()

    assert app.form.value()["ref"] == "e27"
    assert app.changes == [app.form.value()]


# Problems ----------------------------------------------------------------------------------------


async def test_problems_are_shown_for_visited_fields_only() -> None:
    wait = operations()["wait"].input
    app = Filling(SchemaForm(wait.model_json_schema(), validator=validator_of(wait)))
    async with app.run_test(size=(80, 20)) as pilot:
        assert len(app.form.problems) > 0
        assert "required" not in shown(app.form)

        await pilot.press("tab")
        await until(lambda: "Field required" in shown(app.form), "Field required")
        assert app.row("condition").has_class("-wrong")

        await pilot.press("shift+tab", *"500")
        await becomes(app, "condition", 500)
        await until(lambda: app.form.problems == [], "no problem")
        await until(lambda: "required" not in shown(app.form), "no problem on the screen")


async def test_an_invalid_given_value_is_reported_at_once() -> None:
    form = SchemaForm(
        ProfileConfig.model_json_schema(),
        {"defaults": {"timeoutMs": -5}},
        validator=validator_of(ProfileConfig),
    )
    app = Filling(form)
    async with app.run_test(size=(80, 40)):
        await until(
            lambda: "greater than or equal to 0" in shown(form), "greater than or equal to 0"
        )
        assert len(form.problems) == 1


async def test_submitting_an_invalid_form_focuses_the_first_problem(app: Filling) -> None:
    app.go("count")
    await app.pilot.press("x")
    await until(lambda: "must be a whole number" in shown(app.form), "must be a whole number")
    app.go("note")
    await app.pilot.press("enter")

    await until(lambda: app.focused is app.control("name"), "the first problem")
    assert app.submitted == []
    await until(lambda: "is required" in shown(app.form), "is required")
    assert len(app.form.problems) >= 2


async def test_own_problems_come_before_those_of_the_validator(app: Filling) -> None:
    app.form._form_validator = lambda value: [("raw", "theirs"), ("", "all is lost"), ("x.y", "?")]
    app.go("raw")
    await app.pilot.press("left_curly_bracket")

    await until(lambda: "is not JSON" in shown(app.form), "is not JSON")
    assert "theirs" not in shown(app.form)
    await until(lambda: "all is lost" in shown(app.form), "all is lost")
    await until(lambda: "x.y: ?" in shown(app.form), "x.y: ?")
    assert len(app.form.problems) == 3


async def test_a_problem_inside_of_a_field_belongs_to_the_field(app: Filling) -> None:
    app.form._form_validator = lambda value: [("tags.0", "too [/] short")]
    app.form.set_value({"tags": ["a"]})
    assert app.row("tags").has_class("-wrong")
    await until(lambda: "too [/] short" in shown(app.row("tags")), "the problem")


# Moving and submitting ---------------------------------------------------------------------------


async def test_enter_submits() -> None:
    click = operations()["click"].input
    app = Filling(SchemaForm(click.model_json_schema(), validator=validator_of(click)))
    async with app.run_test(size=(80, 20)) as pilot:
        app.go("url")
        await pilot.press("x", "enter")
        app.form.set_value({"selector": "#a"})
        await pilot.press("enter")

        await until(lambda: app.submitted[-1:] == [{"selector": "#a"}], "the value")


async def test_enter_on_a_choice_submits_and_in_a_list_makes_a_line(app: Filling) -> None:
    app.form.set_value({"name": "x"})
    app.form._form_validator = lambda value: []
    app.go("tags")
    await app.pilot.press("enter")
    assert app.submitted == []

    app.go("mode")
    await app.pilot.press("enter")
    await until(lambda: len(app.submitted) == 1, "the value")


async def test_arrows_and_tab_move_between_fields(app: Filling) -> None:
    visited = []
    for key in ("down", "down", "tab", "shift+tab", "up", "up"):
        await app.pilot.press(key)
        visited.append(next(r.field.key for r in app.query(FieldRow) if r.control is app.focused))

    assert visited == ["sure", "note", "count", "note", "sure", "name"]


async def test_a_ref_can_be_picked_by_mouse_and_by_key(app: Filling) -> None:
    await app.pilot.click(".field--pick")
    app.go("ref")
    await app.pilot.press("alt+r")
    app.go("note")
    await app.pilot.press("alt+r")

    await until(lambda: app.picks == ["ref", "ref", "ref"], "each pick")


async def test_ctrl_s_is_left_to_the_owner() -> None:
    pressed: list[str] = []

    class Owner(Filling):
        def on_key(self, event: events.Key) -> None:
            pressed.append(event.key)

    app = Owner(SchemaForm(EVERYTHING))
    async with app.run_test(size=(80, 60)) as pilot:
        for field in ("name", "mode", "tags"):
            app.go(field)
            await pilot.press("ctrl+s")

        await until(lambda: pressed == ["ctrl+s"] * 3, "each arrives")


async def test_hostile_texts_are_shown_as_they_are() -> None:
    schema = {
        "properties": {
            f"field{i}{text[:12]}": {
                "type": "string",
                "description": text,
                "default": text,
                "enum": [text, "b"] if i % 2 else None,
            }
            for i, text in enumerate(HOSTILE)
        }
    }
    for part in schema["properties"].values():
        if part["enum"] is None:
            del part["enum"]
    app = Filling(SchemaForm(schema, validator=lambda value: [("", text) for text in HOSTILE]))
    async with app.run_test(size=(80, 40)) as pilot:
        for _ in HOSTILE:
            await pilot.press("tab")
        app.form.set_value(dict.fromkeys(schema["properties"], HOSTILE[4]))
        await pilot.pause()

        assert controls(app) == set()
        assert app.form.value() == dict.fromkeys(schema["properties"], HOSTILE[4])


def test_no_field_shadows_one_of_textual() -> None:
    field = Field(("a",), FieldKind.TEXT)
    choice = Field(("b",), FieldKind.CHOICE, choices=("x",))

    assert shadowing(SchemaForm(EVERYTHING), VerticalScroll) == []
    assert shadowing(FieldRow(field, 9), Widget) == []
    assert shadowing(ChoiceControl(choice), Widget) == []
    assert not {"field", "_given", "_given_text"} & set(dir(TextControl.__mro__[1]))


async def test_a_group_folds_its_fields_away_until_one_is_set_or_wrong() -> None:
    form = SchemaForm(EVERYTHING, {"name": "Ada", "sure": True}, folds=True)
    app = Filling(form)
    async with app.run_test() as pilot:
        assert "▸ inner  More." in shown(form)
        assert "width" not in shown(form)
        form._form_rows["ref"].control.focus()
        await pilot.press("down", "enter")
        assert "▾ inner  More." in shown(form)
        await until(lambda: "width" in shown(form), "the unfolded fields are painted")
        await pilot.press("space")
        assert form.is_folded

        assert form.go_to_problem(), "inner.deep is required"
        await pilot.pause()
        assert not form.is_folded
        assert app.focused is form._form_rows["inner.deep"].control

    form = SchemaForm(EVERYTHING, {"inner": {"width": 3}}, folds=True)
    assert not form.is_folded
