"""What every mapping of the policy file has in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Unit = Annotated[float, Field(ge=0, le=1)]
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]

SoughtText = Annotated[str, Field(min_length=1, max_length=4_000)]


class Section(BaseModel):
    """A mapping in the file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
