"""The keyword line: the language of `pw repl` in the panel."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from pwtui.app.panel import InPanel
from pwtui.app.screens.window import styles
from pwtui.keywords.completion import complete, ghost
from pwtui.keywords.errors import KeywordError
from pwtui.keywords.parser import parse
from pwtui.protocol.envelope import RuntimeBlock
from pwtui.protocol.keyword import Completion
from pwtui.widgets.command_line import CommandLine
from pwtui.widgets.modal import Modal


class CommandScreen(InPanel, Modal[None]):
    """A line above the footer. Its requests appear in the log."""

    DEFAULT_CSS = styles("command")

    def compose(self) -> ComposeResult:
        with Vertical(id="command-box") as box:
            box.border_title = "Keywords"
            yield CommandLine(self._completions, self._suggest, self.controller.history.typed_lines)

    def _completions(self, text: str, cursor: int) -> Sequence[Completion]:
        return complete(text, cursor, self.app.store.snapshot.tree)

    def _suggest(self, text: str) -> str:
        return ghost(text, self.controller.history.typed_lines)

    @on(CommandLine.Submitted)
    def _run(self, event: CommandLine.Submitted) -> None:
        try:
            request = parse(event.line)
        except KeywordError as error:
            usage = f"\nusage: {error.usage}" if error.usage else ""
            self.query_one(CommandLine).show_problem(f"{error}{usage}")
            return
        runtime = RuntimeBlock(profile=self.app.store.active_profile)
        self.controller.history.typed_lines.append(event.line)
        self.dismiss()
        self.app.send(request.model_copy(update={"runtime": runtime}))

    @on(CommandLine.Cancelled)
    def _close(self) -> None:
        self.dismiss()
