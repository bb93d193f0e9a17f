"""Fields and base classes of operations' inputs and results."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, NonNegativeInt, model_validator
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict
from pydantic_core import CoreSchema

from pwtui.protocol.model import Maybe, WireModel
from pwtui.protocol.schema import ONE_OF_MARK, SECRET_MARK, exactly_one
from pwtui.protocol.secrets import SecretKind

LONGEST_WAIT_SECONDS = 24 * 60 * 60
LONGEST_WAIT_MS = LONGEST_WAIT_SECONDS * 1000
Milliseconds = Annotated[NonNegativeInt, Field(le=LONGEST_WAIT_MS)]
Seconds = Annotated[NonNegativeInt, Field(le=LONGEST_WAIT_SECONDS)]

# For fields that are accepted but not offered: forms, help and suggestions omit them.
SECOND_SPELLING: JsonDict = {"deprecated": True}


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


def _mark_one_of(schema: dict[str, Any], model: type[Any]) -> None:
    if model.one_of:
        schema[ONE_OF_MARK] = [to_camel(name) for name in model.one_of]


class Input(WireModel):
    """The base of every operation's input."""

    takes_element: ClassVar[bool] = False
    takes_url: ClassVar[bool] = False
    one_of: ClassVar[tuple[str, ...]] = ()
    """Fields of which exactly one must be set."""

    model_config = ConfigDict(json_schema_extra=_mark_one_of)

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, value: Any) -> Any:
        if isinstance(value, dict) and len(value) > 1:
            for name, field in cls.model_fields.items():
                if name != field.alias and name in value and field.alias in value:
                    raise ValueError(f"{field.alias} is set twice, also as {name}")
        return value

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if self.one_of and sum(getattr(self, name) is not None for name in self.one_of) != 1:
            raise ValueError(exactly_one([to_camel(name) for name in self.one_of]))
        return self


class NoInput(Input):
    """For operations that need nothing."""


class Data(WireModel):
    """The base of every operation's result."""


class StoppedData(Data):
    stopped: bool
    message: Maybe[str] = None
