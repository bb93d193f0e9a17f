from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, sync_playwright

from pwtui.browser.launch.find_browser import find_chromium
from pwtui.protocol.snapshot import (
    NO_PARENT,
    UNKNOWN,
    SnapshotNode,
    SnapshotTree,
    count_nodes,
    is_ref,
    parse_snapshot,
)

JsonNode = dict[str, Any]
Mode = Literal["ai", "default"]

SHOP = """\
- generic [active] [ref=e1]:
  - heading "Shop" [level=1] [ref=e2]
  - link "About" [ref=e4] [cursor=pointer]:
    - /url: /about.html
  - textbox "Name" [ref=e8]:
    - /placeholder: Your name
  - textbox "Password" [ref=e9]:
    - /placeholder: At least 8
    - text: "s3cret: x"
  - paragraph:
    - text: Read
    - link "this" [ref=e10]:
      - /url: "#"
      - text: and
      - strong
  - option "Red" [selected]
  - checkbox "All" [checked=mixed] [disabled] [ref=e14] [box=-8,0,16,20]
  - listitem [ref=e16]: Apple
  - 'button "a: b" [ref=e17]'
  - iframe [ref=e21]:
    - button "Inside" [ref=f1e2]"""


def index_of(tree: SnapshotTree, ref: str) -> int:
    index = tree.find_ref(ref)
    assert index is not None
    return index


def node_of(tree: SnapshotTree, ref: str) -> SnapshotNode:
    return tree.nodes[index_of(tree, ref)]


# The tree ----------------------------------------------------------------------------------------


def test_a_snapshot_renders_to_the_same_text() -> None:
    assert parse_snapshot(SHOP).render() == SHOP


def test_an_empty_snapshot_has_no_nodes_and_renders_to_empty_text() -> None:
    tree = parse_snapshot("")

    assert tree.nodes == []
    assert tree.render() == ""
    assert tree.to_json() == []
    assert list(tree.children()) == []


def test_names_refs_and_states_are_read() -> None:
    tree = parse_snapshot(SHOP)

    heading, checkbox = node_of(tree, "e2"), node_of(tree, "e14")

    assert (heading.role, heading.name, heading.states) == ("heading", "Shop", {"level": 1})
    assert checkbox.states == {"checked": "mixed", "disabled": True}
    assert checkbox.box == (-8, 0, 16, 20)
    assert node_of(tree, "e4").pointer
    assert not node_of(tree, "e16").pointer
    assert node_of(tree, "e17").name == "a: b"


def test_properties_belong_to_their_node() -> None:
    tree = parse_snapshot(SHOP)

    assert node_of(tree, "e4").props == {"url": "/about.html"}
    assert node_of(tree, "e8").props == {"placeholder": "Your name"}
    assert list(tree.children(index_of(tree, "e4"))) == []


def test_the_value_of_a_field_with_a_placeholder_is_its_text() -> None:
    assert node_of(parse_snapshot(SHOP), "e9").text == "s3cret: x"


def test_a_text_beside_other_children_is_a_node() -> None:
    tree = parse_snapshot(SHOP)
    link = index_of(tree, "e10")

    children = [tree.nodes[child] for child in tree.children(link)]

    assert tree.nodes[link].text is None
    assert [(child.role, child.text) for child in children] == [("text", "and"), ("strong", None)]


def test_a_text_as_the_only_child_of_a_node_without_properties_is_a_node() -> None:
    tree = parse_snapshot("- list:\n  - text: x")

    assert [(node.role, node.text) for node in tree.nodes] == [("list", None), ("text", "x")]


@pytest.mark.parametrize("text", ["", "- text: a", SHOP])
def test_nodes_and_refs_are_counted_without_parsing(text: str) -> None:
    assert count_nodes(text) == counted(parse_snapshot(text))


def test_parents_depths_and_subtree_ends_are_consistent() -> None:
    tree = parse_snapshot(SHOP)
    iframe = index_of(tree, "e21")
    inside = index_of(tree, "f1e2")

    assert list(tree.children()) == [0]
    assert tree.parents[0] == NO_PARENT
    assert tree.ends[0] == len(tree.nodes)
    assert tree.parents[inside] == iframe
    assert tree.nodes[inside].depth == 2
    assert list(tree.children(iframe)) == [inside]


def test_an_unknown_ref_is_not_found() -> None:
    assert parse_snapshot(SHOP).find_ref("e99") is None


def test_json_is_nested_without_absent_values() -> None:
    text = (
        '- list "L" [aria-hidden] [ref=e1]:\n'
        '  - link "Go" [ref=e2] [cursor=pointer] [box=1,2,3,4]:\n'
        "    - /url: /go\n"
        "  - text: end"
    )

    assert parse_snapshot(text).to_json() == [
        {
            "role": "list",
            "name": "L",
            "ref": "e1",
            "ariaHidden": True,
            "children": [
                {
                    "role": "link",
                    "name": "Go",
                    "ref": "e2",
                    "cursor": "pointer",
                    "url": "/go",
                    "box": {"x": 1, "y": 2, "width": 3, "height": 4},
                },
                {"role": "text", "text": "end"},
            ],
        }
    ]


def test_unknown_attributes_are_kept_in_order() -> None:
    text = '- button "A" [zoom=2] [checked] [ref=e1] [glow] [cursor=pointer] [box=a,b]: t'

    tree = parse_snapshot(text)

    assert list(tree.nodes[0].states.items()) == [
        ("zoom", "2"),
        ("checked", True),
        ("glow", True),
        ("box", "a,b"),
    ]
    assert tree.nodes[0].pointer
    assert tree.find_ref("e1") == 0
    assert tree.render() == text


def test_an_unknown_attribute_does_not_replace_a_known_member_in_json() -> None:
    entry = parse_snapshot(
        '- button "A" [role=x] [name=y] [children] [ref=e1]:\n  - img'
    ).to_json()[0]

    assert entry == {
        "role": "button",
        "name": "A",
        "ref": "e1",
        "children": [{"role": "img"}],
    }


def test_a_very_deep_tree_is_parsed_and_converted_to_json() -> None:
    depth = 5_000
    text = "\n".join("  " * level + "- list:" for level in range(depth))

    tree = parse_snapshot(text)

    assert tree.nodes[-1].depth == depth - 1
    assert tree.render() == text
    assert len(tree.to_json()) == 1


def test_a_tree_can_be_copied() -> None:
    tree = parse_snapshot(SHOP)

    changed = copy.deepcopy(tree)
    changed.replace_name(0, "changed")

    assert tree.render() == SHOP


@pytest.mark.parametrize(
    "line",
    [
        "",
        "words",
        "-",
        "- ",
        '- button "open',
        r'- button "wrong \q escape"',
        '- button "raw \t tab \\n"',
        '- \'button "x"',
        "- button [ref=e1] trailing",
        '- button: "open',
        r'- button: "wrong \q escape"',
        "- /url: no owner",
        "- text: ok\n  - /url: the owner is a text",
        "- ref=e7 [unchanged]",
        "\u2028",
        "- button\r",
    ],
)
def test_an_invalid_line_is_a_node_with_role_unknown(line: str) -> None:
    text = f"- list:\n{line}\n- img"

    tree = parse_snapshot(text)

    assert tree.render() == text
    unknown = [node for node in tree.nodes if node.role == UNKNOWN]
    assert [node.text for node in unknown] == [line.split("\n")[-1].lstrip(" ")]


@pytest.mark.parametrize("ref", ["e1", "e12", "f1e2", "f10e200"])
def test_a_ref_is_recognised(ref: str) -> None:
    assert is_ref(ref)


@pytest.mark.parametrize(
    "text", ["", "e", "1", "E1", "e1 ", "e1\n", "fe1", "f1", "xe1", "e\u0661", "#e1"]
)
def test_other_text_is_not_a_ref(text: str) -> None:
    assert not is_ref(text)


# Edits -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["e9", "e16", "e8", "e17", "f1e2"])
@pytest.mark.parametrize("value", ["•••", "", "a: b", 'say "hi"\n', "- x", "12", "null", "\x07"])
def test_a_replaced_text_is_parsed_again_and_nothing_else_changes(ref: str, value: str) -> None:
    tree = parse_snapshot(SHOP)
    index = index_of(tree, ref)

    tree.replace_text(index, value)
    again = parse_snapshot(tree.render())

    assert again == tree
    assert again.nodes[index].text == value
    untouched = parse_snapshot(SHOP)
    del untouched.nodes[index], again.nodes[index]
    assert again == untouched


@pytest.mark.parametrize("value", ["x ", " x", "\ufeffx", "x\u3000", "x\u2028#", "\u00a0"])
def test_white_space_that_yaml_would_drop_is_quoted(value: str) -> None:
    tree = parse_snapshot("- button")

    tree.replace_text(0, value)

    assert tree.render() == f'- button: "{value}"'


def test_a_masked_password_is_nowhere_in_the_rendered_text() -> None:
    tree = parse_snapshot(SHOP)

    tree.replace_text(index_of(tree, "e9"), "•••")

    assert "s3cret" not in tree.render()
    assert "    - /placeholder: At least 8\n    - text: •••\n" in tree.render()


def test_a_node_with_children_cannot_have_a_text() -> None:
    with pytest.raises(ValueError, match="has child nodes"):
        parse_snapshot(SHOP).replace_text(0, "x")


def test_the_text_of_an_unknown_line_can_be_replaced() -> None:
    tree = parse_snapshot("- list:\n  secret!")

    tree.replace_text(1, "•••")

    assert tree.render() == "- list:\n  •••"


@pytest.mark.parametrize("ref", ["e1", "e4", "e9", "e14", "e16", "e17"])
@pytest.mark.parametrize(
    "name", ["plain", "a: b", "it's", 'say "hi"\n', "back\\slash", "\x7f", None]
)
def test_a_replaced_name_is_parsed_again_and_nothing_else_changes(
    ref: str, name: str | None
) -> None:
    tree = parse_snapshot(SHOP)
    index = index_of(tree, ref)

    tree.replace_name(index, name)
    again = parse_snapshot(tree.render())

    assert again == tree
    assert again.nodes[index].name == name
    untouched = parse_snapshot(SHOP)
    assert again.nodes[index].states == untouched.nodes[index].states
    del untouched.nodes[index], again.nodes[index]
    assert again == untouched


def test_a_text_cannot_have_a_name() -> None:
    with pytest.raises(ValueError, match="cannot have a name"):
        parse_snapshot("- text: x").replace_name(0, "x")


# Generated trees and arbitrary text --------------------------------------------------------------

STATE_WORDS = {
    "checked": ["[checked]", "[checked=mixed]"],
    "disabled": ["[disabled]"],
    "expanded": ["[expanded]"],
    "active": ["[active]"],
    "invalid": ["[invalid]", "[invalid=grammar]", "[invalid=spelling]"],
    "level": ["[level=1]", "[level=12]"],
    "pressed": ["[pressed]", "[pressed=mixed]"],
    "selected": ["[selected]"],
    "ariaHidden": ["[aria-hidden]"],
}
HOSTILE_CHARACTERS = st.sampled_from(list("\"'\\:#-[]{}`&*?!|>@%, \n\r\t\x00\x1b\x7f\x85\u2028🦊א"))
texts = st.one_of(st.text(max_size=12), st.text(HOSTILE_CHARACTERS, max_size=8))
numbers = st.integers(min_value=-999, max_value=99_999)


@st.composite
def leaves(draw: st.DrawFn) -> JsonNode:
    node: JsonNode = {
        "role": draw(st.sampled_from(["button", "link", "textbox", "list", "iframe"]))
    }
    if name := draw(st.none() | texts):
        node["name"] = name
    for state in draw(st.sets(st.sampled_from(list(STATE_WORDS)), max_size=3)):
        word = draw(st.sampled_from(STATE_WORDS[state])).strip("[]")
        _, equals, value = word.partition("=")
        node[state] = int(value) if state == "level" else value if equals else True
    if draw(st.booleans()):
        node["ref"] = draw(st.from_regex(r"(f[1-9])?e[1-9][0-9]{0,3}", fullmatch=True))
        if draw(st.booleans()):
            node["cursor"] = "pointer"
    if draw(st.booleans()):
        node["box"] = {side: draw(numbers) for side in ("x", "y", "width", "height")}
    for prop in ("url", "placeholder"):
        if (written_prop := draw(st.none() | texts)) is not None:
            node[prop] = written_prop
    if (text := draw(st.none() | texts)) is not None:
        node["text"] = text
    return node


@st.composite
def with_children(draw: st.DrawFn, nodes: st.SearchStrategy[JsonNode]) -> JsonNode:
    node = draw(leaves())
    text_nodes = st.builds(lambda text: {"role": "text", "text": text}, texts)
    children = draw(st.lists(nodes | text_nodes, min_size=1, max_size=4))
    if [child["role"] for child in children] == ["text"]:
        return node | {"text": children[0]["text"]}
    node.pop("text", None)
    return node | {"children": children}


trees = st.lists(st.recursive(leaves(), with_children, max_leaves=12), max_size=3)


def looks_plain(text: str) -> bool:
    return re.fullmatch(r'[A-Z][A-Za-z0-9 "=\[\],\\-]*[a-z\]"]', text) is not None


def quoted_value(text: str) -> str:
    if looks_plain(text):
        return text
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    controls = [*range(0x20), *range(0x7F, 0xA0)]
    escapes = {code: f"\\x{code:02x}" for code in controls} | {ord(c): e for c, e in short.items()}
    return f'"{text.translate(escapes)}"'


def written(nodes: list[JsonNode], depth: int = 0) -> Iterator[str]:
    """The lines of a tree. It quotes more than Playwright does, which a reader cannot mind."""
    for node in nodes:
        start = "  " * depth + "- "
        if node["role"] == "text":
            yield f"{start}text: {quoted_value(node['text'])}"
            continue
        key = node["role"]
        if "name" in node:
            key += " " + json.dumps(node["name"], ensure_ascii=False)
        for state in STATE_WORDS:
            if state in node:
                word = "aria-hidden" if state == "ariaHidden" else state
                key += f" [{word}]" if node[state] is True else f" [{word}={node[state]}]"
        key += f" [ref={node['ref']}]" if "ref" in node else ""
        key += " [cursor=pointer]" if "cursor" in node else ""
        if "box" in node:
            key += " [box={x},{y},{width},{height}]".format(**node["box"])
        if not looks_plain(key.capitalize()):
            key = "'" + key.replace("'", "''") + "'"
        props = [
            f"  {start}/{p}: {quoted_value(node[p])}" for p in ("url", "placeholder") if p in node
        ]
        text, children = node.get("text"), node.get("children", [])
        if text is not None and not props:
            yield f"{start}{key}: {quoted_value(text)}"
        elif not props and not children:
            yield start + key
        else:
            yield f"{start}{key}:"
            yield from props
            below = children if text is None else [{"role": "text", "text": text}]
            yield from written(below, depth + 1)


@given(trees)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_tree_is_parsed_and_renders_to_the_same_text(nodes: list[JsonNode]) -> None:
    text = "\n".join(written(nodes))

    tree = parse_snapshot(text)

    assert tree.render() == text
    assert tree.to_json() == nodes
    assert count_nodes(text) == counted(tree)


def counted(tree: SnapshotTree) -> tuple[int, int]:
    return len(tree.nodes), sum(node.ref is not None for node in tree.nodes)


def assert_well_formed(tree: SnapshotTree) -> None:
    for index, (node, parent, end) in enumerate(
        zip(tree.nodes, tree.parents, tree.ends, strict=True)
    ):
        assert index < end <= len(tree.nodes)
        if parent == NO_PARENT:
            assert node.depth == 0
        else:
            assert node.depth == tree.nodes[parent].depth + 1
            assert parent < index < end <= tree.ends[parent]
            assert index in tree.children(parent)


@given(st.text())
def test_any_text_is_parsed_and_renders_to_the_same_text(text: str) -> None:
    tree = parse_snapshot(text)

    assert tree.render() == text
    assert_well_formed(tree)


fragments = st.sampled_from(
    # Parts of lines, complete and broken, and a number that int() refuses.
    [
        "- ",
        "text",
        "text: ",
        "button",
        '"',
        "'",
        "''",
        "\\",
        ":",
        ": ",
        "/url: x",
        "[ref=e1]",
        " [box=1,2,3,4]",
        "[level=",
        "]",
        "\\x0",
        "\\ud800",
        "\r",
        "\n",
        "\n  ",
        "\n    ",
        " ",
    ]
) | st.just("9" * 5000)


@given(st.lists(fragments, max_size=40).map("".join))
@settings(deadline=None)
def test_a_broken_snapshot_is_parsed_and_renders_to_the_same_text(text: str) -> None:
    tree = parse_snapshot(text)

    assert tree.render() == text
    assert_well_formed(tree)
    json.dumps(tree.to_json())


@given(st.lists(fragments, max_size=40).map("".join), st.data(), texts)
@settings(deadline=None)
def test_an_edit_of_any_node_is_parsed_again(text: str, data: st.DataObject, value: str) -> None:
    tree = parse_snapshot(text)
    editable = [
        index
        for index, node in enumerate(tree.nodes)
        if node.role != UNKNOWN and tree.ends[index] == index + 1
    ]
    if not editable:
        return
    index = data.draw(st.sampled_from(editable))

    tree.replace_text(index, value)

    assert parse_snapshot(tree.render()).nodes[index].text == value


# Real snapshots ----------------------------------------------------------------------------------

HOSTILE_TEXTS = [
    'say "hi"',
    "it's",
    "'single'",
    '"double"',
    "back\\slash \\n \\x41 \\",
    "a: b",
    "ends with colon:",
    "a:b",
    "a #hash",
    "#hash",
    "- dash",
    "-dash",
    "- button [ref=e1]",
    '- button "x" [ref=e1]: y',
    "[ref=e1]",
    "/url: x",
    "text",
    "text: x",
    "true",
    "FALSE",
    "null",
    "~",
    "yes",
    "off",
    "ye\u017f",
    "0",
    "42",
    "-1.5e3",
    "+1",
    "1.",
    ".5",
    "1e5",
    "1_000",
    "0x1F",
    "0b2",
    "Infinity",
    "+infinity",
    ".inf",
    "+.NaN",
    "{braces}",
    "`ticks`",
    "&anchor",
    "*alias",
    "? query",
    "! tag",
    "| pipe",
    "> fold",
    "%percent",
    "@at",
    ", comma",
    "] bracket",
    "tab\there",
    "two\nlines\r\nthree",
    "nul-ish \x01 \x1b[31m bell \x07",
    "delete \x7f next line \x85",
    "separators \u2028 \u2029 x",
    "\ufeffbyte order mark",
    "no\u00a0break\u3000wide",
    "zero\u200bwidth soft\u00adhyphen",
    "fox 🦊 family 👨‍👩‍👧",
    "שלום עולם",
    "\u202eright to left override",
    "é é 漢字",
    "long " * 400,
    "x" * 900,
    "y" * 901,
]

FILL_HOSTILE = """texts => {
  for (const text of texts) {
    const add = (tag, set) => {
      const element = document.createElement(tag);
      set(element);
      document.body.appendChild(element);
    };
    add('p', e => e.textContent = text);
    add('button', e => e.textContent = text);
    add('button', e => { e.setAttribute('aria-label', text); e.textContent = 'Label'; });
    add('div', e => { e.setAttribute('role', 'group'); e.setAttribute('aria-label', text);
                      e.append(text, document.createElement('hr'), text); });
    add('input', e => { e.value = text; e.setAttribute('aria-label', text); });
    add('textarea', e => { e.value = text; e.placeholder = text;
                           e.setAttribute('aria-label', 'Area'); });
    add('a', e => { e.setAttribute('href', text); e.textContent = text; });
    add('a', e => { e.setAttribute('href', 'data:text/plain,' + text);
                    e.setAttribute('aria-label', 'Link'); e.textContent = text; });
  }
}"""

WIDGETS = """
<h1>Title</h1><h6 aria-level="12">Deep</h6>
<input type="checkbox" id="mixed" aria-label="mixed"><input type="checkbox" checked aria-label="c">
<div role="checkbox" aria-checked="mixed">aria mixed</div><input type="radio" checked disabled>
<button aria-pressed="true">on</button><button aria-pressed="mixed">half</button>
<button aria-expanded="true">open</button><button disabled autofocus>off</button>
<input aria-invalid="true" value="1"><input aria-invalid="grammar"><input aria-invalid="spelling">
<input placeholder="Only a placeholder"><input placeholder="P: q" aria-label="Both" value="v: w">
<input type="password" placeholder="Password" aria-label="Secret" value="s3cret # x">
<select><option selected>Red</option><option>true</option></select>
<select multiple><option selected>1</option><option>2</option></select>
<div role="tablist"><div role="tab" aria-selected="true">Tab</div></div>
<a href="data:text/html,<b>x</b>">data</a><a href="#">hash</a><a href="">empty</a><a>none</a>
<a href="/x" style="cursor: pointer">plain <b>bold</b> <button>inner</button></a>
<table><caption>Cap</caption><tr><th>H</th><td>1</td><td></td></tr></table>
<ul><li>one<ul><li>- two</li></ul></li></ul><p></p><img alt="Pic: 1"><img>
<details open><summary>Sum</summary>Body</details><meter value="0.5"></meter>
<div aria-hidden="true"><button>hidden from trees</button></div>
<button style="pointer-events: none">no events</button>
<div id="host"></div>
<iframe title="a: frame" srcdoc="<button>in: frame</button><input value='3' placeholder='p'>
  <iframe srcdoc='<h2>nested</h2><a href=x>- go</a>'></iframe>"></iframe>
<iframe></iframe>
<script>
  mixed.indeterminate = true;
  host.attachShadow({mode: 'open'}).innerHTML =
      '<button>in "shadow"</button><slot></slot><a href="?q=a: b">s</a>';
  host.append('slotted: text');
</script>
"""

SNAPSHOTS = [
    pytest.param("ai", False, None, id="ai"),
    pytest.param("ai", True, None, id="ai-boxes"),
    pytest.param("ai", False, 2, id="ai-depth"),
    pytest.param("default", False, None, id="default"),
    pytest.param("default", True, None, id="default-boxes"),
]
every_snapshot = pytest.mark.parametrize(("mode", "boxes", "depth"), SNAPSHOTS)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    executable = find_chromium(headless=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.fixture(params=["hostile texts", "widgets"])
def hostile_page(page: Page, request: pytest.FixtureRequest) -> Page:
    if request.param == "widgets":
        page.set_content(WIDGETS)
    else:
        page.set_content("")
        page.evaluate(FILL_HOSTILE, HOSTILE_TEXTS)
    return page


def playwrights_own_tree(page: Page, mode: Mode, boxes: bool, depth: int | None) -> list[JsonNode]:
    """What Playwright wrote the text from. Its Python API does not show it; its channel does."""
    inner: Any = page
    channel = inner.main_frame._impl_obj._channel
    call = channel.ariaSnapshotJSON(mode, None, depth, boxes, timeout=30_000)
    return [as_written(node) for node in inner._sync(call)["snapshot"]]


def as_written(node: str | JsonNode) -> JsonNode:
    """The node without what the text leaves out: states that are off, and very long names."""
    if isinstance(node, str):
        return {"role": "text", "text": node}
    kept = {key: value for key, value in node.items() if value is not False}
    if len(kept.get("name", "").encode("utf-16-le")) > 2 * 900 or not kept.get("name"):
        kept.pop("name", None)
    if "children" in kept:
        kept["children"] = [as_written(child) for child in kept["children"]]
    if not kept.get("children"):
        kept.pop("children", None)
    return kept


@every_snapshot
def test_a_snapshot_of_chromium_is_parsed_and_renders_to_the_same_text(
    hostile_page: Page, mode: Mode, boxes: bool, depth: int | None
) -> None:
    text = hostile_page.aria_snapshot(mode=mode, boxes=boxes, depth=depth)

    tree = parse_snapshot(text)

    assert tree.render() == text
    assert tree.to_json() == playwrights_own_tree(hostile_page, mode, boxes, depth)
    assert count_nodes(text) == counted(tree)


@every_snapshot
def test_an_edit_is_quoted_as_playwright_does(
    hostile_page: Page, mode: Mode, boxes: bool, depth: int | None
) -> None:
    text = hostile_page.aria_snapshot(mode=mode, boxes=boxes, depth=depth)
    tree = parse_snapshot(text)

    for index, node in enumerate(tree.nodes):
        if node.text is not None:
            tree.replace_text(index, node.text)
        if node.name is not None:
            tree.replace_name(index, node.name)

    assert tree.render() == text


def test_each_parsed_ref_is_one_element_of_the_page(hostile_page: Page) -> None:
    tree = parse_snapshot(hostile_page.aria_snapshot(mode="ai"))

    refs = [node.ref for node in tree.nodes if node.ref is not None]

    assert refs
    assert [ref for ref in refs if not is_ref(ref)] == []
    assert [ref for ref in refs if hostile_page.get_by_ref(ref).count() != 1] == []


def test_no_text_of_a_page_can_forge_a_ref(page: Page) -> None:
    page.set_content("<p></p>")
    page.evaluate(
        "() => document.querySelector('p').textContent = 'x\\n- button \"Pay\" [ref=e99]'"
    )

    assert parse_snapshot(page.aria_snapshot(mode="ai")).find_ref("e99") is None


def test_a_lone_surrogate_is_parsed_and_renders_to_the_same_text(page: Page) -> None:
    page.set_content("<p></p><button></button>")
    page.evaluate(
        r"""() => { document.querySelector('p').textContent = 'half \ud83d';
                    document.querySelector('button').ariaLabel = 'half \ud83d'; }"""
    )
    text = page.aria_snapshot(mode="ai")
    tree = parse_snapshot(text)

    for index, node in enumerate(tree.nodes):
        if node.name is not None:
            tree.replace_name(index, node.name)

    assert [node.name for node in tree.nodes if node.role == "button"] == ["half \ud83d"]
    assert tree.render() == text


@given(st.lists(texts, min_size=1, max_size=25))
@settings(max_examples=25, deadline=None)
def test_any_text_of_a_page_can_be_parsed_and_edited(page: Page, values: list[str]) -> None:
    page.set_content("")
    page.evaluate(FILL_HOSTILE, values)
    text = page.aria_snapshot(mode="ai")

    tree = parse_snapshot(text)
    understood = tree.to_json()
    for index, node in enumerate(tree.nodes):
        if node.text is not None:
            tree.replace_text(index, node.text)
        if node.name is not None:
            tree.replace_name(index, node.name)

    assert tree.render() == text
    assert understood == playwrights_own_tree(page, "ai", False, None)
    assert count_nodes(text) == counted(tree)
