"""Parses Playwright's accessibility snapshot into a flat tree that can be edited and rendered.

Each node keeps its source lines, and rendering joins them: unchanged nodes are rendered byte for
byte, including lines that this module does not understand.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Final, TypeAlias

Box: TypeAlias = tuple[int, int, int, int]
StateValue: TypeAlias = str | int | bool

NO_PARENT: Final = -1
UNKNOWN: Final = "unknown"

REF_PATTERN: Final = re.compile(r"(?:f[0-9]+)?e[0-9]+")


def is_ref(text: str) -> bool:
    """Whether the whole text is a ref of a snapshot, such as ``e12`` or ``f3e12``."""
    return REF_PATTERN.fullmatch(text) is not None


# Shared by all nodes without states or properties, which are most of them.
_NO_STATES: Final[Mapping[str, StateValue]] = {}
_NO_PROPS: Final[Mapping[str, str]] = {}


@dataclass(slots=True)
class SnapshotNode:
    """One element or text of the page.

    `states` has the bracketed attributes in their order, also unknown ones: a flag is True, `level`
    is an int, others are strings (``checked`` may be ``"mixed"``). `props` has ``url`` and
    ``placeholder``.

    Several trees of a page share a node: edit with `SnapshotTree.replace_text` and `replace_name`.
    """

    depth: int
    role: str
    name: str | None
    text: str | None
    ref: str | None
    states: Mapping[str, StateValue]
    pointer: bool
    box: Box | None
    props: Mapping[str, str]
    source: str


@dataclass(slots=True)
class SnapshotTree:
    """All nodes in document order; a node is identified by its index in `nodes`.

    The subtree of a node is ``nodes[index : ends[index]]``.
    """

    nodes: list[SnapshotNode] = field(default_factory=list)
    parents: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("i"))
    first_lines: array[int] = field(default_factory=lambda: array("i"), repr=False, compare=False)
    """Where the source of each node begins; empty after an edit."""
    _text: str | None = field(default=None, repr=False, compare=False)
    _index_of_ref: dict[str, int] | None = field(default=None, repr=False, compare=False)

    def find_ref(self, ref: str) -> int | None:
        if self._index_of_ref is None:
            nodes = enumerate(self.nodes)
            self._index_of_ref = {node.ref: at for at, node in nodes if node.ref is not None}
        return self._index_of_ref.get(ref)

    def children(self, index: int = NO_PARENT) -> Iterator[int]:
        """The direct children of a node; without an index, the outermost nodes."""
        ends = self.ends
        child = index + 1
        end = len(ends) if index == NO_PARENT else ends[index]
        while child < end:
            yield child
            child = ends[child]

    def render(self) -> str:
        if self._text is None:
            self._text = "\n".join([node.source for node in self.nodes])
        return self._text

    def replace_text(self, index: int, text: str) -> None:
        """Replace the inline text of a node, or the value of a field."""
        node = self.nodes[index]
        if node.role == UNKNOWN:
            source = node.source.removesuffix(node.text or "") + text
        elif self.ends[index] > index + 1:
            raise ValueError(f"The {node.role} at {index} has child nodes, so it has no text.")
        else:
            item, *below = node.source.split("\n")
            start, key, _ = _split_item(item)
            if node.props:
                props = below if node.text is None else below[:-1]
                # The text has the same indent as the properties.
                text_line = props[0].partition("- ")[0] + "- text: " + _quote_value(text)
                source = "\n".join([f"{start}{key}:", *props, text_line])
            else:
                source = f"{start}{key}: {_quote_value(text)}"
        self._replace(index, replace(node, text=text, source=source))

    def replace_name(self, index: int, name: str | None) -> None:
        """Replace the name of a node. The name of a parent may contain the value of a field."""
        node = self.nodes[index]
        if node.role in (UNKNOWN, "text"):
            raise ValueError(f"The {node.role} at {index} cannot have a name.")
        item, newline, below = node.source.partition("\n")
        start, key, tail = _split_item(item)
        quoted_name = f" {_json_string(name)}" if name else ""
        new_key = _quote_key(node.role + quoted_name + _attributes_in(key))
        source = f"{start}{new_key}{tail}{newline}{below}"
        self._replace(index, replace(node, name=name or None, source=source))

    def _replace(self, index: int, node: SnapshotNode) -> None:
        self.nodes[index] = node
        self.first_lines, self._text = array("i"), None

    def to_json(self) -> list[dict[str, object]]:
        """Nested dicts as in Playwright's JSON snapshot, but with texts as nodes."""
        roots: list[dict[str, object]] = []
        children_of: list[list[dict[str, object]]] = []
        for node, parent, end in zip(self.nodes, self.parents, self.ends, strict=True):
            entry = _json_entry(node)
            (roots if parent == NO_PARENT else children_of[parent]).append(entry)
            children: list[dict[str, object]] = []
            children_of.append(children)
            # The following nodes fill the list.
            if end > len(children_of):
                entry["children"] = children
        return roots


def parse_snapshot(text: str) -> SnapshotTree:
    """Parse any text. A line that is not a snapshot line becomes a node with role ``unknown``."""
    tree = SnapshotTree(_text=text)
    ancestors: list[int] = []
    append_lines(tree, text.split("\n") if text else [], None, ancestors, [])
    for index in ancestors:
        tree.ends[index] = len(tree.nodes)
    return tree


def append_lines(
    tree: SnapshotTree,
    lines: list[str],
    following: str | None,
    ancestors: list[int],
    indents: list[int],
    first: int = 0,
) -> None:
    """Add the nodes of lines to the end of a tree.

    `following` is the line after them, `first` the number of the first one. The stacks have the
    ancestors of a line, outermost first, and their indents: before the first line, then after the
    last one, where the ends of these ancestors are not known yet.
    """
    nodes, parents, ends, first_lines = tree.nodes, tree.parents, tree.ends, tree.first_lines
    # Pages repeat a handful of attribute lists, so each is parsed once and shared.
    known_attributes: dict[str, _Attributes] = {"": (_NO_STATES, False, None)}
    for number, line in enumerate(lines):
        indent = indent_of(line)
        index = len(nodes)
        while indents and indents[-1] >= indent:
            indents.pop()
            ends[ancestors.pop()] = index
        parent = ancestors[-1] if ancestors else NO_PARENT
        if (
            index
            and parent == index - 1
            and line.startswith(OWN_LINE_STARTS, indent)
            and _add_own_line(
                nodes[parent],
                line,
                indent,
                lines[number + 1] if number + 1 < len(lines) else following,
            )
        ):
            continue

        role, name, ref, attributes, text_value = _read_item(line) or (
            (UNKNOWN, None, None, "", line[indent:])
        )
        shared = known_attributes.get(attributes)
        if shared is None:
            shared = known_attributes[attributes] = _read_attributes(attributes)
        states, pointer, box = shared
        nodes.append(
            SnapshotNode(
                len(ancestors),
                intern(role),
                name,
                text_value,
                ref,
                states,
                pointer,
                box,
                _NO_PROPS,
                line,
            )
        )
        parents.append(parent)
        ends.append(index + 1)
        first_lines.append(first + number)
        ancestors.append(index)
        indents.append(indent)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def count_nodes(text: str) -> tuple[int, int]:
    """The numbers of nodes and refs in a snapshot, much faster than parsing it."""
    text = f"\n{text}" if text else ""
    own_lines = len(_PROP_LINE.findall(text)) + len(_TEXT_AFTER_PROPS.findall(text))
    return text.count("\n") - own_lines, len(_LINE_WITH_REF.findall(text))


# Reading one line --------------------------------------------------------------------------------

# Possessive repeats (*+) halve the time of a match, as no repeat here needs to backtrack. Repeated
# groups are not possessive because of a bug in Python before 3.11.5.
_KEY_SOURCE: Final = (
    r"([A-Za-z][A-Za-z0-9-]*+)"  # role
    r'(?: "([^"\\]*+(?:\\.[^"\\]*+)*)")?'  # name
    r"((?: \[(?!ref=)[^\[\]]*+\])*)"  # attributes before the ref
    r"(?: \[ref=([^\[\]]++)\])?"
    r"((?: \[[^\[\]]*+\])*)"  # attributes after the ref
)
_VALUE_SOURCE: Final = r"(?::(?: (.*+))?)?"
_KEY: Final = re.compile(_KEY_SOURCE)
_ITEM: Final = re.compile(rf" *+- {_KEY_SOURCE}{_VALUE_SOURCE}")
_QUOTED_ITEM: Final = re.compile(rf" *+- ('[^']*+(?:''[^']*+)*'){_VALUE_SOURCE}")
OWN_LINE_STARTS: Final = ("- /", "- text: ")
"""Of lines that may belong to the node above them, after their indent."""
# With the line break before the line, as a search for "\n" is much faster than one for ^.
_PROP_LINE: Final = re.compile(r"\n *+- /")
_TEXT_AFTER_PROPS: Final = re.compile(r"\n( *+)- /.*+\n\1- text: .*+(?!\n\1)")
_LINE_WITH_REF: Final = re.compile(
    r'\n *+- \'?[A-Za-z][A-Za-z0-9-]*+(?: "[^"\\\n]*+(?:\\.[^"\\\n]*+)*")?'
    r"(?: \[(?!ref=)[^\[\]\n]*+\])* \[ref="
)
_OWN_LINE: Final = re.compile(r" *+- (?:/([A-Za-z][A-Za-z0-9-]*+)|text): (.*+)")

# Without the checks of json.loads, which take longer than parsing a short string.
_read_json: Final = json.JSONDecoder().raw_decode

_Item: TypeAlias = tuple[str, str | None, str | None, str, str | None]


def _read_item(line: str) -> _Item | None:
    """Role, name, ref, other attributes and inline text."""
    match = _ITEM.fullmatch(line)
    if match is not None:
        role, name, before, ref, after, value = match.groups()
    else:
        quoted = _QUOTED_ITEM.fullmatch(line)
        key = quoted and _KEY.fullmatch(_unquote_key(quoted[1]))
        if not quoted or not key:
            return None
        role, name, before, ref, after = key.groups()
        value = quoted[2]
    try:
        if name and "\\" in name:
            name, _ = _read_json(f'"{name}"')
        if value and value[0] == '"':
            value = _unquote_value(value)
    except ValueError:
        return None
    return role, name, ref, before + after, value


def _split_item(line: str) -> tuple[str, str, str]:
    """The line of an item as three parts: up to the key, the key, and the rest."""
    start = line.index("- ") + 2
    plain = _ITEM.fullmatch(line)
    quoted = _QUOTED_ITEM.fullmatch(line)
    end = plain.end(5) if plain else quoted.end(1) if quoted else len(line)
    return line[:start], line[start:end], line[end:]


def _attributes_in(key: str) -> str:
    unquoted = _unquote_key(key)
    match = _KEY.fullmatch(unquoted)
    return unquoted[match.start(3) :] if match else ""


def _add_own_line(owner: SnapshotNode, line: str, indent: int, following: str | None) -> bool:
    """Add a line that is written like a child but belongs to the node: a property, or the text
    after the properties. Returns False for any other line."""
    match = _OWN_LINE.fullmatch(line)
    if match is None or owner.text is not None:
        return False
    prop, value = match.groups()
    try:
        value = _unquote_value(value)
    except ValueError:
        return False
    if prop is not None:
        owner.props = {**owner.props, prop: value}
    elif owner.props and (following is None or not following.startswith(" " * indent)):
        owner.text = value  # the last line at its indent
    else:
        return False
    owner.source += "\n" + line
    return True


_Attributes: TypeAlias = tuple[Mapping[str, StateValue], bool, Box | None]


def _read_attributes(attributes: str) -> _Attributes:
    """The states, whether the cursor is a pointer, and the box."""
    states: dict[str, StateValue] = {}
    pointer = False
    box: Box | None = None
    for attribute in attributes[2:-1].split("] ["):
        key, equals, value = attribute.partition("=")
        if attribute == "cursor=pointer":
            pointer = True
        elif key == "box" and (numbers := _read_box(value)):
            box = numbers
        elif key == "level":
            states[key] = _read_level(value)
        else:
            states[key] = value if equals else True
    return states or _NO_STATES, pointer, box


def _read_box(value: str) -> Box | None:
    try:
        x, y, width, height = map(int, value.split(","))
    except ValueError:
        return None
    return x, y, width, height


def _read_level(value: str) -> int | str:
    try:
        return int(value)
    except ValueError:
        return value


# Quoting, as Playwright does it ------------------------------------------------------------------

# JavaScript's \s, which differs from Python's in a few characters.
_SPACE: Final = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CONTROL: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
# What JavaScript's Number() accepts; text with a leading minus sign is always quoted.
_NUMBER: Final = (
    r"\+?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+"
)
_WORD: Final = r"(?ai:y|n|yes|no|true|false|on|off|null|~|\+?\.(?:inf|nan))"
_NEEDS_QUOTES: Final = re.compile(
    rf"\A(?:\Z|[{_SPACE}\-&*\[\],?!>|@\"'#%]|(?:{_NUMBER}|{_WORD})\Z)"
    rf"|[\n{{}}`{_CONTROL}]|:(?:[{_SPACE}]|\Z)|[{_SPACE}](?:#|\Z)"
)

_SHORT_ESCAPES: Final = {
    "\\": "\\\\",
    '"': '\\"',
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
_UNESCAPED: Final = {escaped: char for char, escaped in _SHORT_ESCAPES.items()}
_TO_ESCAPE: Final = re.compile(r'[\\"\x00-\x1f\x7f-\x9f]')
_ESCAPE: Final = re.compile(r'\\(?:[\\"bfnrt]|x[0-9a-f]{2})')
_QUOTED_VALUE: Final = re.compile(rf'"[^"\\]*(?:{_ESCAPE.pattern}[^"\\]*)*"')
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def _quote_key(key: str) -> str:
    return "'" + key.replace("'", "''") + "'" if _NEEDS_QUOTES.search(key) else key


def _unquote_key(key: str) -> str:
    return key[1:-1].replace("''", "'") if key[:1] == "'" else key


def _quote_value(value: str) -> str:
    return f'"{_TO_ESCAPE.sub(_escape, value)}"' if _NEEDS_QUOTES.search(value) else value


def _unquote_value(value: str) -> str:
    if value[:1] != '"':
        return value
    if "\\" not in value and value.find('"', 1) == len(value) - 1:
        return value[1:-1]
    if _QUOTED_VALUE.fullmatch(value) is None:
        raise ValueError(f"not a quoted value: {value!r}")
    return _ESCAPE.sub(_unescape, value[1:-1])


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or f"\\x{ord(match[0]):02x}"


def _unescape(match: re.Match[str]) -> str:
    return _UNESCAPED.get(match[0]) or chr(int(match[0][2:], 16))


def _json_string(text: str) -> str:
    """Like JSON.stringify: only lone surrogates are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


# JSON --------------------------------------------------------------------------------------------


def _json_entry(node: SnapshotNode) -> dict[str, object]:
    entry: dict[str, object] = {"role": node.role}
    if node.name is not None:
        entry["name"] = node.name
    if node.text is not None:
        entry["text"] = node.text
    if node.ref is not None:
        entry["ref"] = node.ref
    if node.pointer:
        entry["cursor"] = "pointer"
    # An unknown attribute never replaces a known member.
    for state, value in node.states.items():
        entry.setdefault(_camel_case(state), value)
    for prop, value in node.props.items():
        entry.setdefault(_camel_case(prop), value)
    if node.box is not None:
        entry["box"] = dict(zip(("x", "y", "width", "height"), node.box, strict=True))
    return entry


def _camel_case(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join([word.capitalize() for word in rest])
