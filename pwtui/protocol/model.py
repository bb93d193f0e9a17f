"""The base of all protocol models: camelCase JSON, strict types, absent values left out."""

from __future__ import annotations

from functools import partial
from operator import is_
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from pwtui.protocol.errors import InvalidInput, did_you_mean, near_misses
from pwtui.protocol.schema import VOLATILE_MARK

T = TypeVar("T")

# Implemented in C, as it is called a dozen times for each envelope.
is_absent = partial(is_, None)

Maybe = Annotated[T | None, Field(exclude_if=is_absent)]
"""An optional value; None is left out of the JSON."""

Volatile = Annotated[T, Field(json_schema_extra={VOLATILE_MARK: True})]
"""A result that depends on the time, process or machine: a replay does not compare it."""


class WireModel(BaseModel):
    """A model with camelCase JSON names that does not convert types."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        strict=True,
        extra="forbid",
        # A command uses few of the models, and building all takes longer than most commands.
        defer_build=True,
    )

    def to_wire(self) -> dict[str, Any]:
        """The JSON-ready form."""
        return self.model_dump(mode="json")


M = TypeVar("M", bound=BaseModel)


def decode(model: type[M], value: object, *, where: str) -> M:
    """Validate `value`. Raises InvalidInput with the first wrong field; details list all."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = [_problem(model, item, where) for item in error.errors(include_url=False)]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise InvalidInput(
            f"{problems[0]['field']}: {problems[0]['problem']}{more}",
            hint=problems[0].get("hint"),
            details={"fields": problems},
        ) from None


def first_problem(error: ValidationError) -> str:
    """The first wrong field and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def _problem(model: type[BaseModel], item: Any, where: str) -> dict[str, str]:
    path = [str(part) for part in item["loc"]]
    field = ".".join(part for part in (where, *path) if part) or "the value"
    problem = {"field": field, "problem": _wording(item)}
    if item["type"] == "extra_forbidden" and path:
        problem["problem"] = "unknown field"
        if hint := did_you_mean(near_misses(path[-1], _field_names(model, path))):
            problem["hint"] = hint
    return problem


_WORDINGS = {
    "missing": "is required",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "list_type": "must be a list",
}


def _wording(item: Any) -> str:
    kind = item["type"]
    if kind == "literal_error":
        return f"must be one of {item['ctx']['expected']}, not {item['input']!r}"
    if kind == "value_error":
        return str(item["ctx"]["error"])
    message: str = item["msg"]
    return _WORDINGS.get(kind) or message[0].lower() + message[1:]


def _field_names(model: type[BaseModel], path: list[str]) -> list[str]:
    """The fields beside the unknown one that `path` ends with."""
    current = model
    for part in path[:-1]:
        for name, field in current.model_fields.items():
            if part in (name, field.alias):
                nested = _nested_model(field.annotation)
                if nested is None:
                    return []
                current = nested
                break
    fields = current.model_fields.items()
    return [field.alias or name for name, field in fields if not is_second_spelling(field)]


def is_second_spelling(field: FieldInfo) -> bool:
    """Whether the field is accepted, but not suggested or documented."""
    extra = field.json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("deprecated"))


def _nested_model(annotation: Any) -> type[BaseModel] | None:
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
