"""The error codes of the protocol, and one exception for each.

An operation raises the exception where the cause is known; the executor turns it into the error
envelope. Nothing is classified by the words of a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, ClassVar


class ErrorCode(StrEnum):
    INVALID_INPUT = "INVALID_INPUT"
    UNSUPPORTED_MODE = "UNSUPPORTED_MODE"
    SELECTOR_NOT_FOUND = "SELECTOR_NOT_FOUND"
    SELECTOR_AMBIGUOUS = "SELECTOR_AMBIGUOUS"
    TIMEOUT = "TIMEOUT"
    NAVIGATION_FAILED = "NAVIGATION_FAILED"
    JS_EVAL_FAILED = "JS_EVAL_FAILED"
    SCRIPT_FAILED = "SCRIPT_FAILED"
    ASSERTION_FAILED = "ASSERTION_FAILED"
    DIALOG_OPEN = "DIALOG_OPEN"
    CANCELLED = "CANCELLED"
    BROWSER_LAUNCH_FAILED = "BROWSER_LAUNCH_FAILED"
    SCREENSHOT_FAILED = "SCREENSHOT_FAILED"
    IO_ERROR = "IO_ERROR"
    SESSION_ERROR = "SESSION_ERROR"
    AUTH_ERROR = "AUTH_ERROR"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class PwError(Exception):
    """The base of every error that a request can be answered with.

    `message` says what failed and why, `hint` what to do about it. In a hint, operations and
    commands stand in backquotes.
    """

    code: ClassVar[ErrorCode]

    def __init_subclass__(cls, code: ErrorCode | None = None) -> None:
        if code is not None:
            cls.code = code

    def __init__(
        self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details) if details is not None else None

    def __str__(self) -> str:
        return with_hint(self.message, self.hint)


class InvalidInput(PwError, code=ErrorCode.INVALID_INPUT):
    """The request cannot be carried out as it is written."""


class UnsupportedMode(PwError, code=ErrorCode.UNSUPPORTED_MODE):
    """The operation exists, but not here: interactive in a batch, or without its packages."""


class SelectorNotFound(PwError, code=ErrorCode.SELECTOR_NOT_FOUND):
    """No element matches, or the ref is gone."""


class SelectorAmbiguous(PwError, code=ErrorCode.SELECTOR_AMBIGUOUS):
    """Several elements match where one is needed."""


class OperationTimeout(PwError, code=ErrorCode.TIMEOUT):
    """The deadline passed; the message names what was being waited for."""


class NavigationFailed(PwError, code=ErrorCode.NAVIGATION_FAILED):
    """The page could not be loaded."""


class JsEvalFailed(PwError, code=ErrorCode.JS_EVAL_FAILED):
    """The user's JavaScript threw or does not parse."""


class ScriptFailed(PwError, code=ErrorCode.SCRIPT_FAILED):
    """The user's Python raised or does not compile; `details.line` says where."""


class AssertionFailed(PwError, code=ErrorCode.ASSERTION_FAILED):
    """What was to be verified did not become true in time; details hold expected and actual."""


class DialogOpen(PwError, code=ErrorCode.DIALOG_OPEN):
    """An alert, confirm, prompt or beforeunload dialog blocks the page."""


class Cancelled(PwError, code=ErrorCode.CANCELLED):
    """The request was stopped; the page is still usable."""


class BrowserLaunchFailed(PwError, code=ErrorCode.BROWSER_LAUNCH_FAILED):
    """No browser could be started or attached to."""


class ScreenshotFailed(PwError, code=ErrorCode.SCREENSHOT_FAILED):
    """The browser could not make the picture."""


class IoError(PwError, code=ErrorCode.IO_ERROR):
    """A file or folder could not be read or written."""

    @classmethod
    def of(cls, doing: str, error: OSError) -> IoError:
        path = error.filename
        reason = error.strerror or type(error).__name__
        return cls(
            f"cannot {doing}: {reason}" + (f" ({path})" if path else ""),
            details={"path": str(path)} if path else None,
        )


class SessionError(PwError, code=ErrorCode.SESSION_ERROR):
    """The browser session is gone or unusable: crashed, closed, disconnected."""


class AuthError(PwError, code=ErrorCode.AUTH_ERROR):
    """Saved authentication state is missing, unreadable or malformed."""


class InternalError(PwError, code=ErrorCode.INTERNAL_ERROR):
    """A fault of ours; the id in the message is in the log."""


def error_of(body: Mapping[str, Any]) -> PwError:
    """The exception of an error envelope's code."""
    kinds = {kind.code: kind for kind in PwError.__subclasses__()}
    kind = kinds.get(body["code"], InternalError)
    return kind(body["message"], hint=body.get("hint"), details=body.get("details"))


LONGEST_WORD = 100


def near_misses(word: str, known: Iterable[str]) -> list[str]:
    """The known words that `word` was probably meant to be, best first."""
    if len(word) > LONGEST_WORD:
        return []
    by_folded = {name.lower(): name for name in known}
    # Only a wrong word needs it.
    import difflib

    close = difflib.get_close_matches(word.lower(), by_folded, n=3, cutoff=0.6)
    return [by_folded[name] for name in close]


def did_you_mean(suggestions: list[str]) -> str | None:
    """The hint that suggests other words; None when there is nothing to suggest."""
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else None


def with_hint(message: str, hint: str | None) -> str:
    """A message and its hint in one line."""
    return f"{message}; {hint}" if hint else message
