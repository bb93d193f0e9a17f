"""Fields and base classes of operations' inputs and results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, NamedTuple, Self

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, NonNegativeInt, model_validator
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict
from pydantic_core import CoreSchema

from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.model import Maybe, Volatile, WireModel
from pwtui.protocol.schema import SECRET_MARK
from pwtui.protocol.secrets import SecretKind

LONGEST_WAIT_SECONDS = 24 * 60 * 60
LONGEST_WAIT_MS = LONGEST_WAIT_SECONDS * 1000
Milliseconds = Annotated[NonNegativeInt, Field(le=LONGEST_WAIT_MS)]
Seconds = Annotated[NonNegativeInt, Field(le=LONGEST_WAIT_SECONDS)]

# For fields that are accepted but not offered: forms, help and suggestions omit them.
SECOND_SPELLING: JsonDict = {"deprecated": True}


def check_ref(ref: str) -> str:
    from pwtui.protocol.snapshot import is_ref

    if not is_ref(ref):
        raise InvalidInput(
            f"{ref!r} is not a ref",
            hint="refs look like e5 or f2e5; get them with `page.aria`",
            details={"ref": ref},
        )
    return ref


Ref = Annotated[str, AfterValidator(check_ref)]


class EchoAs(NamedTuple):
    """A field's name in the response's `inputs`, where it differs, and how much of it is shown."""

    name: str | None = None
    limit: int | None = None


class MayBeSecret(NamedTuple):
    """Marks an input whose content may be a password; subscribers, logs and files get a mask."""

    kind: SecretKind = "text"

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), SECRET_MARK: self.kind}


OutputPath = Annotated[str, EchoAs("outputPath")]


def output_file(stem: str, suffix: str, kinds: str = "") -> Any:
    """A field for the file to write; its default contains the time, so it never overwrites one."""
    return Field(
        default_factory=lambda: f"{stem}-{datetime.now():%Y-%m-%dT%H-%M-%S-%f}{suffix}",
        description=f"File to write{kinds}, relative to the current folder ({stem}-TIME{suffix}).",
    )


def exactly_one(*names: str) -> Any:
    """A validator for an input of which exactly one of these fields must be set."""

    def check(input: Any) -> Any:
        if sum(getattr(input, name) is not None for name in names) != 1:
            *others, last = map(to_camel, names)
            raise ValueError(f"exactly one of {', '.join(others)} and {last} is required")
        return input

    return model_validator(mode="after")(check)


class Input(WireModel):
    """The base of every operation's input."""

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) > 1:
            for name, field in cls.model_fields.items():
                if name != field.alias and name in value and field.alias in value:
                    raise ValueError(f"{field.alias} is set twice, also as {name}")
        return value


class NoInput(Input):
    """For operations that need nothing."""


class Data(WireModel):
    """The base of every operation's result."""


class StoppedData(Data):
    stopped: bool
    message: Maybe[str] = None


Url = Annotated[str | None, Field(description="URL to open first (default: use the open page).")]


class UrlFields(Input):
    url: Url = None
    url_flag: str | None = Field(
        None, description="Overrides `url`.", json_schema_extra=SECOND_SPELLING
    )

    @property
    def wanted_url(self) -> str | None:
        return self.url if self.url_flag is None else self.url_flag


class ElementFields(Input):
    selector: str | None = Field(
        None,
        description="CSS, XPath or Playwright selector, or a locator such as getByRole('button').",
    )
    selector_flag: str | None = Field(
        None, description="Overrides `selector`.", json_schema_extra=SECOND_SPELLING
    )
    ref: Ref | None = Field(
        None, description="A ref from the newest page.aria, such as e5 or f2e5."
    )
    words: str | None = Field(None, description="The element's text, name, label or placeholder.")

    within: str | None = Field(
        None,
        min_length=1,
        description="Search only in the row, list item, section, dialog or form with this text.",
    )
    within_role: str | None = Field(
        None,
        min_length=1,
        description="Search only in an element with this role, such as listitem or dialog.",
    )

    @property
    def wanted_selector(self) -> str | None:
        return self.selector if self.selector_flag is None else self.selector_flag

    @model_validator(mode="after")
    def _one_element(self) -> Self:
        if self.words is not None and not self.words.strip():
            raise ValueError("words must not be empty")
        if [self.ref, self.wanted_selector, self.words].count(None) < 2:
            raise ValueError("only one of selector, ref and words is allowed")
        is_scoped = self.within is not None or self.within_role is not None
        if is_scoped and self.wanted_selector is None and self.words is None:
            raise ValueError("within and withinRole require a selector or words")
        return self


class ElementInput(UrlFields, ElementFields):
    """The input of an operation on an element."""


class DownloadData(Data):
    url: str
    suggested_filename: str
    path: Volatile[Maybe[str]] = Field(
        None, description="Where it was saved, if downloads.dir is set."
    )
