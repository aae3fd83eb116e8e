"""How much a panel sees, as written."""

from typing import Any

from msgspec.structs import fields

from consensus.config.sees import SeesSection
from consensus.domain.sight import Sees
from tests.config.policies import default, policy, rules


def sees(written: Any) -> Sees | None:
    content = policy()
    content["stages"][0]["panel"]["sees"] = written
    panel = default(rules({"default": content})).stages[0].panel
    assert panel is not None
    return panel.sees


def test_a_panel_sees_everything_unless_told() -> None:
    panel = default(rules({"default": policy()})).stages[0].panel
    assert panel is not None
    assert panel.sees is None
    assert sees({}) == Sees()


def test_every_bound_can_be_written() -> None:
    assert list(SeesSection.model_fields) == [field.name for field in fields(Sees)]
    assert sees({"messages": 10, "item_chars": 150}) == Sees(messages=10, item_chars=150)
