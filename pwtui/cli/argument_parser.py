"""An argument parser that raises instead of exiting, and is filled at first use."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from pwtui.protocol.errors import did_you_mean, near_misses, with_hint

COMMON = "common options"
WIDTH = 78


class Stop(Exception):
    """Parsing stops: to show help, or because of wrong usage."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class _Formatter(argparse.HelpFormatter):
    """Omits common options in the usage, and writes `-p, --profile NAME`; lists bare commands.

    The width is fixed: the daemon formats help for terminals of other widths.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        own = [each for each in actions if each.container.title != COMMON]
        super().add_usage(usage, own, groups, prefix)

    def _format_action(self, action: argparse.Action) -> str:
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        return "".join(map(self._format_action, action._get_subactions()))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, action.dest.upper())
        return f"{', '.join(action.option_strings)} {value}"


class Parser(argparse.ArgumentParser):
    """Raises Stop instead of printing and exiting: the daemon parses for its clients.

    `fill` adds the arguments at first use.
    """

    words: str | None = None
    """The list argument that also takes words after an option, which argparse does not assign."""
    any_option = False
    """Whether `words` takes unknown options, too."""

    def __init__(self, *, fill: Callable[[Parser], None] | None = None, **options: Any) -> None:
        # No abbreviations: a new option would make them ambiguous.
        self._options = {"allow_abbrev": False, "formatter_class": _Formatter, **options}
        self._fill = fill
        if fill is None:
            self._build()

    def _build(self) -> None:
        super().__init__(**self._options)
        self.color = False  # Python 3.14 would colour help by the terminal of the daemon

    def filled(self) -> Parser:
        """This parser, after its arguments were added."""
        if (fill := self._fill) is not None:
            self._fill = None
            self._build()
            fill(self)
            self.set_defaults(parser=self)
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.filled()
        args, literal = list(args), []
        if self.any_option and "--" in args:
            literal = args[(end := args.index("--")) :]
            args = args[:end]
        found, left = super().parse_known_args(args, namespace)
        if self.words is not None:
            words = [each for each in left if self.any_option or not each.startswith("-")]
            left = [] if self.any_option else [each for each in left if each.startswith("-")]
            known = getattr(found, self.words, None) or ()
            setattr(found, self.words, [*known, *words, *literal])
        if left:
            self.error(self.unknown(left[0]))
        return found, []

    def unknown(self, argument: str) -> str:
        """The error message for an unknown argument."""
        if not argument.startswith("-"):
            return f"unexpected argument '{argument}'"
        name = argument.partition("=")[0]
        close = near_misses(name, [each for each in self.visible_options() if each[:2] == "--"])
        return with_hint(f"unknown option {name}", did_you_mean(close))

    def visible_options(self) -> dict[str, argparse.Action]:
        """The options that help shows, by name."""
        found = self._option_string_actions.items()
        return {name: each for name, each in found if each.help is not argparse.SUPPRESS}

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            hint = did_you_mean(near_misses(str(value), choices))
            is_action = isinstance(action, argparse._SubParsersAction)
            what = f"unknown action '{value}'" if is_action else f"'{value}' is not known"
            message = with_hint(what, hint or f"use one of {', '.join(choices)}")
            raise argparse.ArgumentError(None if is_action else action, message)

    def _check_help(self, action: argparse.Action) -> None:
        """Python 3.14 formats each help text when it is added, here before there is a parser."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Stop(status, message or "")

    def error(self, message: str) -> NoReturn:
        raise Stop(2, f"{self.format_usage()}{self.prog}: error: {message}\n")

    def print_help(self, file: object = None) -> NoReturn:
        raise Stop(0, self.format_help())


def subparsers(command: Parser) -> Mapping[str, Parser]:
    found = [each for each in command._actions if isinstance(each, argparse._SubParsersAction)]
    return found[0].choices if found else {}
