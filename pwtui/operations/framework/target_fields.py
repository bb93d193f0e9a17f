"""Input fields that name the page and the element of an operation."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from pwtui.operations.framework.fields import SECOND_SPELLING, Input
from pwtui.protocol.errors import InvalidInput


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


Url = Annotated[str | None, Field(description="URL to open first (default: use the open page).")]


class UrlFields(Input):
    takes_url: ClassVar[bool] = True

    url: Url = None
    url_flag: str | None = Field(
        None, description="Overrides `url`.", json_schema_extra=SECOND_SPELLING
    )

    @property
    def wanted_url(self) -> str | None:
        return self.url if self.url_flag is None else self.url_flag


class ElementFields(Input):
    takes_element: ClassVar[bool] = True

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
