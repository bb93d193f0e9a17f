"""The dialogs that a page opens."""

from __future__ import annotations

from pydantic import Field

from pwtui.browser.session.session import protecting_pattern
from pwtui.operations.framework.declare import Group, Outcome, Run, acts, reads
from pwtui.operations.framework.fields import Data, Input, NoInput
from pwtui.operations.framework.page_call import SessionCall
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe
from pwtui.protocol.models import DialogInfo

GROUP = Group.DIALOGS


def _outcome(how: str) -> Outcome:
    return Outcome((f'{how} {{dialog.type}} "{{dialog.message}}"',), empty="no dialog is open")


class AcceptInput(Input):
    text: str | None = Field(None, description="Text for a prompt.")


class DialogData(Data):
    open: bool = Field(description="Whether a dialog is open now.")
    dialog: Maybe[DialogInfo] = Field(None, description="The dialog that is open, or was closed.")


@reads("dialog.show", run=Run(starts_browser=False), outcome=_outcome("open:"))
async def dialog_show(call: SessionCall, input: NoInput) -> DialogData:
    """Show the open dialog of the current tab."""
    dialog = call.session.active.prompts.dialog if call.session.active else None
    return DialogData(open=dialog is not None, dialog=dialog)


@acts(
    "dialog.accept",
    "dialog-accept [text...]",
    example={"text": "yes"},
    run=Run(starts_browser=False),
    outcome=_outcome("accepted"),
    python="page.once('dialog', lambda dialog: dialog.accept(text))",
)
async def dialog_accept(call: SessionCall, input: AcceptInput) -> DialogData:
    """Accept the open dialog; `text` answers a prompt."""
    return await _answer(call, accept=True, text=input.text)


@acts(
    "dialog.dismiss",
    "dialog-dismiss",
    run=Run(starts_browser=False),
    outcome=_outcome("dismissed"),
    python="page.once('dialog', lambda dialog: dialog.dismiss())",
)
async def dialog_dismiss(call: SessionCall, input: NoInput) -> DialogData:
    """Dismiss the open dialog."""
    return await _answer(call, accept=False)


async def _answer(call: SessionCall, *, accept: bool, text: str | None = None) -> DialogData:
    tab = call.session.active
    if tab is None or not tab.prompts.has_dialog:
        raise InvalidInput("no dialog is open in the current tab")
    if pattern := protecting_pattern(tab.url, call.runtime):
        raise InvalidInput(
            f"tab {tab.index} ({tab.url}) is protected by {pattern!r}",
            details={"tab": tab.index, "url": tab.url, "pattern": pattern},
        )
    return DialogData(open=False, dialog=await tab.prompts.answer(accept=accept, text=text))
