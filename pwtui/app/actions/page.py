"""The actions on the page of the active profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from textual.geometry import Offset

from pwtui.app.actions.controls import PageControl
from pwtui.app.actions.files import ask_files
from pwtui.app.actions.node_menu import COPIES, NodeCopy, NodeOperation, operations_of
from pwtui.app.actions.output import copy_text
from pwtui.protocol.secrets import has_mask, is_secret_label
from pwtui.protocol.snapshot import SnapshotNode
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.text import cut, plain

if TYPE_CHECKING:
    from pwtui.app.app import PanelApp
    from pwtui.protocol.envelope import Request

Answer: TypeAlias = Literal[
    "accept", "dismiss", "text", "switch", "files", "no-files", "url", "hide"
]
"""To a dialog, to a file chooser or to the news of a download."""
Way: TypeAlias = Literal["back", "forward", "reload", "stop"]
PICK_SECONDS = 60
STOP = "void setTimeout(() => window.stop(), 0)"


async def open_node_menu(
    app: PanelApp, ref: str, node: SnapshotNode, at: Offset | None = None
) -> None:
    choices: list[Choice[NodeOperation | NodeCopy]] = []
    choices += [Choice(each, each.menu.title, each.menu.key) for each in operations_of(node)]
    choices += [Choice(each, each.title, each.key) for each in COPIES]
    title = cut(plain(f"{node.role} {node.name or ''} [{ref}]"), 50)
    chosen = await app.push_screen_wait(ChoiceDialog(title, choices, at=at))
    if isinstance(chosen, NodeCopy):
        await _copy(app, chosen, ref)
    elif chosen is not None:
        await act(app, chosen, ref, node)


async def act(app: PanelApp, operation: NodeOperation, ref: str, node: SnapshotNode) -> None:
    """Run an operation on a node, unless one is already running on it."""
    if app.refuses(operation.op):
        return
    store, acting = app.store, app.acting_on
    request = await _request_for(app, operation, ref, node)
    # A second press, or the page that the first one opens is not shown yet.
    if request is None or (
        ref in acting and (acting[ref] is None or acting[ref] is store.snapshot.tree)
    ):
        return
    tree, acting[ref] = store.snapshot.tree, None
    response = await app.perform(request)
    acting[ref] = tree
    delta = response.context_delta if response is not None else None
    if delta is None or not delta.url or delta.url == store.snapshot.url:
        acting.pop(ref, None)


async def _request_for(
    app: PanelApp, operation: NodeOperation, ref: str, node: SnapshotNode
) -> Request | None:
    """Ask for the values that the request needs; None if the user cancels."""
    asks = operation.menu.asks
    if asks is None:
        return app.controller.request(operation.op, {**operation.input(ref)})
    if asks in ("option", "number"):
        with app.opening():
            control = await PageControl.find(app, ref, node, app.store.snapshot.tree)
        return await (control.ask_option if asks == "option" else control.ask_number)(app)
    is_secret = is_secret_label(node.name or "") or has_mask(node.text)
    prompt = PromptDialog(
        f"{operation.op} {ref}",
        cut(plain(f"{node.role} {node.name or ''}"), 56),
        value="" if is_secret or asks != "text" else node.text or "",
        password=is_secret and asks == "text",
        placeholder="Enter, ArrowDown, Control+A" if asks == "key" else "",
    )
    answer = await app.push_screen_wait(prompt)
    if answer is None:
        return None
    return app.controller.request(operation.op, {**operation.input(ref, answer)})


async def _copy(app: PanelApp, copied: NodeCopy, ref: str) -> None:
    if copied.what == "ref":
        copy_text(app, ref)
        return
    response = await app.controller.ask("page.locator", ref=ref)
    if response.data is not None:
        copy_text(app, response.data["selector"])
    else:
        app.show_failure(response)


async def answer(app: PanelApp, answer: Answer | str) -> None:
    """Do what a bar above the page offers."""
    known = app.store.page
    match answer:
        case "files":
            await _choose_files(app)
        case "no-files":
            await app.perform(app.controller.request("upload", {"files": []}))
        case "url" if known.download is not None:
            copy_text(app, known.download.url)
        case "hide":
            known.set_download(None)
        case "switch":
            dialog = app.store.dialogs.get(app.store.active_profile)
            if dialog is not None:
                await show_tab(app, dialog.tab)
        case _:
            await _answer_dialog(app, answer)


async def _choose_files(app: PanelApp) -> None:
    chooser = app.store.page.chooser
    if chooser is None:
        return
    title = f"{'Files' if chooser.multiple else 'File'} for the page"
    if paths := await ask_files(app, title, several=chooser.multiple):
        await app.perform(app.controller.request("upload", {"files": [*map(str, paths)]}))


async def _answer_dialog(app: PanelApp, answer: str) -> None:
    dialog = app.store.dialogs.get(app.store.active_profile)
    if dialog is None:
        return
    input = {}
    if answer == "text":
        default = dialog.info.default_value or ""
        prompt = PromptDialog("Answer the dialog", dialog.info.message, value=default)
        text = await app.push_screen_wait(prompt)
        if text is None:
            return
        input["text"] = text
    op = "dialog.dismiss" if answer == "dismiss" else "dialog.accept"
    await app.perform(app.controller.request(op, input))


async def reopen(app: PanelApp) -> None:
    """Restart a browser that exited, with the page that was shown."""
    url = app.store.snapshot.url
    op, input = ("navigate", {"url": url}) if url else ("session.start", {})
    await app.perform(app.controller.request(op, {**input}))


async def go_to_url(app: PanelApp) -> None:
    if app.refuses("navigate"):
        return
    shown = app.store.snapshot.url
    url = await app.push_screen_wait(
        PromptDialog("Go to URL", value=shown, placeholder="https://…")
    )
    if url:
        await app.perform(app.controller.request("navigate", {"url": url}))


async def go(app: PanelApp, way: Way) -> None:
    """Go back or forward, load the page again, or stop loading it."""
    if way == "stop":
        await cancel_requests(app)
        stop = app.controller.request("page.eval", {"expression": STOP})
        if app.controller.refusal(stop) is None:
            await app.controller.ask(stop.op, **stop.input)
    else:
        await app.perform(app.controller.request(way))


async def pick(app: PanelApp) -> str | None:
    """The ref of the element that the user clicks in the browser window or in the picture."""
    hint = "Click an element in the browser window, or in the picture (8)."
    app.notify(hint, timeout=PICK_SECONDS / 6, markup=False)
    response = await app.controller.ask("page.pick", timeoutSecs=PICK_SECONDS)
    ref: str | None = (response.data or {}).get("ref")
    if ref is None:
        app.show_failure(response)
    app.controller.refresh_snapshot()
    return ref


async def show_tab(app: PanelApp, index: int) -> None:
    await app.perform(app.controller.request("tabs.switch", {"target": index}))


async def open_tab(app: PanelApp) -> None:
    prompt = PromptDialog("New tab", placeholder="URL (default: a blank page)", accept="Open")
    url = await app.push_screen_wait(prompt)
    if url is not None:
        await app.perform(app.controller.request("tabs.new", {"url": url} if url else {}))


async def close_tab(app: PanelApp, index: int) -> None:
    await app.perform(app.controller.request("tabs.close", {"target": index}))


async def cancel_requests(app: PanelApp, *, own_only: bool = False) -> None:
    """Cancel the running requests of the active profile."""
    controller = app.controller
    for running in list(controller.store.running.values()):
        is_meant = not own_only or controller.is_own(running)
        if running.profile == controller.store.active_profile and is_meant:
            await controller.cancel(running)
