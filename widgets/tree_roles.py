"""The kinds of roles, for colours and for the controls-only view."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pwtui.protocol.snapshot import SnapshotNode


class RoleKind(StrEnum):
    """The value is the suffix of the component class."""

    ACTION = "action"
    FIELD = "field"
    LANDMARK = "landmark"
    HEADING = "heading"
    STRUCTURE = "structure"
    GENERIC = "generic"


_ROLES: Final = {
    RoleKind.ACTION: "button link menuitem menuitemcheckbox menuitemradio option tab treeitem",
    RoleKind.FIELD: "checkbox combobox listbox radio searchbox slider spinbutton switch textbox",
    RoleKind.LANDMARK: """alert alertdialog application article banner complementary contentinfo
        dialog document form iframe main menu menubar navigation region search status tablist
        toolbar""",
    RoleKind.HEADING: "heading caption figure img",
    RoleKind.GENERIC: "generic none presentation text unknown",
}
_KIND_OF_ROLE: Final = {role: kind for kind, roles in _ROLES.items() for role in roles.split()}
_INTERACTIVE_ROLES: Final = frozenset(
    (_ROLES[RoleKind.ACTION] + " " + _ROLES[RoleKind.FIELD]).split()
)


def kind_of(role: str) -> RoleKind:
    return _KIND_OF_ROLE.get(role, RoleKind.STRUCTURE)


def is_interactive(node: SnapshotNode) -> bool:
    """Whether a user can probably click it or type into it."""
    return node.pointer or node.role in _INTERACTIVE_ROLES
