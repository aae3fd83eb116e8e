"""A revision changes exactly when the content of a policy does."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.config import parse_policies
from consensus.validators import check_faults
from tests.config.policies import default, policy, rules

JUDGES = {
    "expert": {"kind": "remote", "target": "dns:///expert:50061"},
    "idle": {"kind": "remote", "target": "dns:///idle:50061"},
}


def file() -> dict[str, Any]:
    """Return the content of a policy file with a seat for `expert` and none for `idle`."""
    written = policy(seats=2)
    written["stages"][0]["panel"]["seats"].append({"judge": "expert"})
    written["stages"].insert(0, {"name": "zero", "checks": [{"contains": "a"}, {"regex": "b"}]})
    return copy.deepcopy({"judges": JUDGES, "policies": {"default": written}})


def revision(content: dict[str, Any]) -> str:
    return default(yaml.safe_dump(content, sort_keys=False)).revision


def stage(content: dict[str, Any], index: int) -> dict[str, Any]:
    found: dict[str, Any] = content["policies"]["default"]["stages"][index]
    return found


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a weight": lambda c: stage(c, 1)["panel"]["seats"][0].update(weight=2),
    "a time-out": lambda c: stage(c, 1)["panel"]["seats"][0].update(timeout_seconds=2),
    "the order of seats": lambda c: stage(c, 1)["panel"]["seats"].reverse(),
    "the order of checks": lambda c: stage(c, 0)["checks"].reverse(),
    "a gate": lambda c: stage(c, 1).update(gate={"min_score": 0.8}),
    "an action": lambda c: stage(c, 1).update(on_fail="escalate"),
    "a strategy": lambda c: stage(c, 1)["panel"].update(strategy="median"),
    "a check": lambda c: stage(c, 0)["checks"][0].update(contains="b"),
    "the kind of a check": lambda c: stage(c, 0)["checks"].__setitem__(0, {"not_contains": "a"}),
    "a deadline": lambda c: c["policies"]["default"].update(deadline_seconds=3),
    "the description": lambda c: c["policies"]["default"].update(description="new"),
    "a stage's name": lambda c: stage(c, 0).update(name="other"),
    "a used judge's target": lambda c: c["judges"]["expert"].update(target="dns:///other:1"),
    "a used judge's TLS": lambda c: c["judges"]["expert"].update(tls={}),
}
NO_CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "an unused judge's target": lambda c: c["judges"]["idle"].update(target="dns:///other:1"),
    "an unused judge": lambda c: c["judges"].pop("idle"),
    "another policy": lambda c: c["policies"].update(other=policy()),
    "the default policy": lambda c: c.update(default_policy="default"),
    "a default that is written": lambda c: stage(c, 1)["panel"].update(quorum=1, trim=0.2),
    "a whole number for a fraction": lambda c: c["policies"]["default"].update(deadline_seconds=30),
    "the format's version": lambda c: c.update(version=1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_revision_changes_with(what: str) -> None:
    changed = file()
    CHANGES[what](changed)
    assert revision(changed) != revision(file())


@pytest.mark.parametrize("what", NO_CHANGES)
def test_the_revision_does_not_change_with(what: str) -> None:
    changed = file()
    NO_CHANGES[what](changed)
    assert revision(changed) == revision(file())


def test_comments_and_layout_do_not_change_the_revision() -> None:
    block = yaml.safe_dump(file(), sort_keys=False)
    flow = yaml.safe_dump(file(), default_flow_style=True, width=40)
    commented = "# why\n" + block.replace("\n", "  # because\n")
    assert len({default(text).revision for text in (block, flow, commented)}) == 1


@settings(max_examples=50)
@given(st.randoms())
def test_the_order_of_keys_does_not_change_the_revision(random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            pairs = list(value.items())
            random.shuffle(pairs)
            return {key: shuffled(inner) for key, inner in pairs}
        return [shuffled(inner) for inner in value] if isinstance(value, list) else value

    assert revision(shuffled(file())) == revision(file())


@settings(max_examples=100)
@given(*[st.tuples(st.floats(0.001, 100), st.floats(0.1, 100), st.integers(1, 2))] * 2)
def test_the_revision_tells_numbers_apart(
    one: tuple[float, float, int], other: tuple[float, float, int]
) -> None:
    def written(weight: float, timeout: float, quorum: int) -> str:
        content = policy(seats=2, quorum=quorum)
        content["stages"][0]["panel"]["seats"][0].update(weight=weight, timeout_seconds=timeout)
        return default(rules({"default": content})).revision

    assert (written(*one) == written(*other)) is (one == other)


def test_a_revision_is_a_short_digest() -> None:
    scheme, _, digest = revision(file()).partition(":")
    assert scheme == "sha256"
    assert len(digest) == 16
    assert int(digest, 16) >= 0


def test_the_revision_changes_with_the_text_of_a_used_prompt_template(tmp_path: Path) -> None:
    content = {
        "backends": {"local": {"kind": "openai_chat", "base_url": "http://localhost:8080/v1"}},
        "judges": {
            name: {
                "kind": "llm",
                "backend": "local",
                "model": "small",
                "template_file": f"{name}.txt",
            }
            for name in ("expert", "idle")
        },
        "policies": {"default": policy(seats=1)},
    }
    content["policies"]["default"]["stages"][0]["panel"]["seats"].append({"judge": "expert"})

    def written(expert: str, idle: str) -> str:
        for name, words in (("expert", expert), ("idle", idle)):
            fields = "$nonce $rubric $task $messages $candidate $ask"
            (tmp_path / f"{name}.txt").write_text(f"{words} $reply\n=== user ===\n{fields}\n")
        file = tmp_path / "policy.yaml"
        return (
            parse_policies(yaml.safe_dump(content), file, check_faults).policies["default"].revision
        )

    assert written("Judge.", "Judge.") == written("Judge.", "Judge well.")
    assert written("Judge.", "Judge.") != written("Judge well.", "Judge.")
