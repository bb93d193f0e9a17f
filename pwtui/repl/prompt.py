"""The prompt: editing, history, completion, ghost text."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer
from prompt_toolkit.completion import Completion as Shown
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.shortcuts import CompleteStyle

from pwtui.keywords.completion import ghost
from pwtui.keywords.parser import commands, needs_more
from pwtui.protocol.printable import one_line
from pwtui.repl.dot_commands import COMMANDS, ExitRepl, run_line
from pwtui.repl.session import ReplSession

DEFAULT = "default"


async def run_prompt(session: ReplSession) -> None:
    """Read and run lines until the user exits."""
    prompt: PromptSession[str] = PromptSession(
        message=lambda: _message(session),
        history=session.history,
        completer=_Completer(session),
        complete_while_typing=False,
        complete_style=CompleteStyle.COLUMN,
        auto_suggest=_Ghost(session),
        enable_suspend=True,
        key_bindings=_keys(),
    )
    while True:
        try:
            with patch_stdout(raw=True):
                text = await prompt.prompt_async()
            # The prompt handles the signal itself while it is shown.
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, session.on_interrupt)
            for line in commands(text):
                await run_line(session, line)
        except KeyboardInterrupt:
            session.err("(type .exit or press Ctrl+D to exit)")
        except (EOFError, ExitRepl):
            return


def _message(session: ReplSession) -> StyleAndTextTuples:
    name = session.engine.name
    marks: dict[str, StyleAndTextTuples] = {
        "recording": [("ansired", "⏺ ")],
        "paused": [("ansiyellow", "⏸ ")],
        "idle": [],
    }
    shown = "pw> " if name == DEFAULT else f"pw:{name}> "
    return [*marks[session.recorder.state], ("bold", shown)]


class _Completer(Completer):
    def __init__(self, session: ReplSession) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> list[Shown]:
        return []

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Shown, None]:
        text = document.text_before_cursor
        if text.startswith("."):
            for name, command in COMMANDS.items():
                if name.startswith(text):
                    yield Shown(name, -len(text), display_meta=command.summary)
            return
        for each in await self._session.completions(text, len(text)):
            yield Shown(each.text, each.start - len(text), display_meta=one_line(each.description))


class _Ghost(AutoSuggest):
    def __init__(self, session: ReplSession) -> None:
        self._session = session

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        history = self._session.history.get_strings()
        rest = ghost(document.text, history, self._session.operations)
        return Suggestion(rest) if rest else None


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @Condition
    def is_unfinished() -> bool:
        text = get_app().current_buffer.text
        return not text.endswith("\n") and any(map(needs_more, commands(text)[-1:]))

    @keys.add("enter", filter=is_unfinished)
    def _(event: KeyPressEvent) -> None:
        """Continue code while its brackets are open; an empty line ends it."""
        event.current_buffer.insert_text("\n")

    @keys.add("tab")
    def _(event: KeyPressEvent) -> None:
        """Accept the ghost text at the end of a line, or complete."""
        buffer = event.current_buffer
        at_end = buffer.document.is_cursor_at_the_end
        if buffer.suggestion and at_end and " " not in buffer.text:
            buffer.insert_text(buffer.suggestion.text)
        elif buffer.complete_state:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=False, insert_common_part=True)

    return keys
