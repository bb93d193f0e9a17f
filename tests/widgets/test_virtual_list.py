"""What tree, log, detail and rows have in common."""

from __future__ import annotations

import pytest

from pwtui.widgets.connection_list import ConnectionList
from pwtui.widgets.dialogs import ChoiceList
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.picker import PickerList
from pwtui.widgets.profile_list import ProfileList
from pwtui.widgets.session_list import SessionList
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.virtual_list import VirtualList

KEYS = {
    "up": "list.up",
    "j": "list.down",
    "pageup": "list.page-up",
    "pagedown": "list.page-down",
    "ctrl+u": "list.half-up",
    "ctrl+d": "list.half-down",
    "g": "list.first",
    "G": "list.last",
    "y": "list.copy",
    "n": "list.match-next",
    "N": "list.match-previous",
}


@pytest.mark.parametrize(
    "kind",
    [
        *(SnapshotTreeView, EnvelopeLog, EnvelopeDetail),
        *(ProfileList, SessionList, ConnectionList, ChoiceList, PickerList),
    ],
)
def test_every_list_has_the_same_keys_under_the_same_ids(kind: type[VirtualList]) -> None:
    bindings = kind._merged_bindings
    assert bindings is not None

    assert {key: bindings.get_bindings_for_key(key)[0].id for key in KEYS} == KEYS
