"""The shape of `sees` in the policy file, and what it builds."""

from typing import Annotated

from pydantic import Field

from consensus.config.section import Section
from consensus.domain.sight import Sees

_Chars = Annotated[int, Field(ge=1, le=4_000_000)]


class SeesSection(Section):
    """How much models and remote judges of the panel are shown. Embedded judges and policies always
    see everything.
    """

    messages: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description="The latest messages, at most so many. Judges count what they are shown from 0;"
        " the decision's evidence is counted from the submission's first.",
    )
    tool_chars: _Chars | None = Field(None, description="Characters of a tool's message.")
    output_chars: _Chars | None = Field(
        None, description="Characters of an output that is neither list nor object."
    )
    object_chars: _Chars | None = Field(
        None, description="Characters of an output that is an object, as JSON."
    )
    list_items: int | None = Field(
        None, ge=1, le=100_000, description="Items of an output that is a list."
    )
    item_chars: _Chars | None = Field(None, description="Characters of each item, as JSON.")

    def built(self) -> Sees:
        """Return the bounds."""
        return Sees(**self.model_dump())
