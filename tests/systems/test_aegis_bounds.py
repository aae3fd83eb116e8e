"""AEGIS's bounds through the running server: what is refused, and what just passes."""

from collections.abc import AsyncIterator
from math import nan
from typing import Any

import grpc
import pytest

from consensus.domain.errors import PolicyFileError
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from tests.service.refusal import refused
from tests.service.scripted_judge import answers, gradient
from tests.systems.aegis_panels import add_policies
from tests.systems.aegis_running import (
    PANEL,
    Validated,
    candidate,
    codes,
    shipped,
    stage_of,
    validated,
)

ACCEPT = decision_pb2.VERDICT_ACCEPT


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Validated]:
    async with validated(add_policies) as running:
        yield running


@pytest.fixture
def running(served: Validated) -> Validated:
    served.script()
    return served


def _seats(*weights: float) -> list[dict[str, Any]]:
    return [{"judge": name, "weight": w} for name, w in zip(PANEL, weights, strict=False)]


UNSOUND: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown judge": ({"seats": [{"judge": "nobody"}]}, "seats[0].judge"),
    "no judges": ({"seats": []}, "seats"),
    "more required than there are": ({"quorum": 4}, "quorum"),
    "none required": ({"quorum": 0}, "quorum"),
    "weights that sum to zero": ({"seats": _seats(0, 0, 0)}, "seats"),
    "a negative weight": ({"seats": _seats(1, 1, -1)}, "seats[2].weight"),
    "best of none": ({"strategy": "best_of_n", "n": 0}, "n"),
    "best of more than there are": ({"strategy": "best_of_n", "n": 4}, "n"),
    "a strategy that nobody knows": ({"strategy": "any_approved"}, "strategy"),
    "factors that do not sum to one": (
        {"confidence": {"agreement_factor": 0.7, "self_confidence_factor": 0.31}},
        "confidence",
    ),
    "a factor above one": ({"confidence": {"agreement_factor": 1.5}}, "agreement_factor"),
}


@pytest.mark.parametrize("what", UNSOUND)
def test_a_panel_that_cannot_be_is_refused_when_the_file_is_read(what: str) -> None:
    keys, field = UNSOUND[what]

    def change(content: dict[str, Any]) -> None:
        stage_of(content, "multi_judge")["panel"] |= keys

    with pytest.raises(PolicyFileError) as refused:
        shipped("127.0.0.1:1", change)
    assert any(f"{field}: " in line for line in refused.value.lines())


@pytest.mark.parametrize(
    ("overrides", "field"),
    [
        pytest.param({"threshold": 0.0}, "threshold", id="an explicit threshold of 0"),
        pytest.param({"threshold": nan}, "threshold", id="no number"),
        pytest.param({"strategy": 4, "n": 0}, "n", id="best of none"),
        pytest.param({"strategy": 4, "n": 4}, "n", id="best of more than there are"),
        pytest.param({"min_confidence": 1.5}, "min_confidence", id="out of range"),
        pytest.param({"strategy": 9}, "strategy", id="an unknown strategy"),
    ],
)
async def test_overrides_that_cannot_be_are_refused_by_their_field(
    running: Validated, overrides: dict[str, Any], field: str
) -> None:
    request = pb.JudgeRequest(
        submission=candidate(), policy="panel", overrides=pb.Overrides(**overrides)
    )
    seen = await refused(running.server.consensus.Judge(request))
    assert (seen.code, list(seen.fields)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        [f"overrides.{field}"],
    )


@pytest.mark.parametrize("bound", [0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
async def test_a_score_equal_to_its_threshold_passes(running: Validated, bound: float) -> None:
    running.judges.scripts = dict.fromkeys(PANEL, answers(gradient(bound, 0.9)))
    overrides = pb.Overrides(threshold=bound, min_score=bound)
    assert (await running.decide(policy="panel", overrides=overrides)).verdict == ACCEPT


@pytest.mark.parametrize(
    ("scores", "overrides", "reason"),
    [
        pytest.param((0.9, 0.9, 0.4), {"min_agreement": 0.7}, "GATES_PASSED", id="agreed"),
        pytest.param((1.0, 1.0, 0.2), {"min_agreement": 0.7}, "AGREEMENT_BELOW_MIN", id="apart"),
        pytest.param((1.0, 1.0, 0.2), {"min_confidence": 0.7}, "CONFIDENCE_BELOW_MIN", id="unsure"),
        pytest.param((1.0, 1.0, 0.2), {}, "GATES_PASSED", id="no bound but the score's"),
    ],
)
async def test_agreement_and_confidence_are_enforced_where_a_bound_is_set(
    running: Validated, scores: tuple[float, ...], overrides: dict[str, Any], reason: str
) -> None:
    said = {name: answers(gradient(s, 0.9)) for name, s in zip(PANEL, scores, strict=True)}
    running.judges.scripts = said
    overrides = {"min_score": 0.7} | overrides
    decision = await running.decide(policy="panel", overrides=pb.Overrides(**overrides))
    assert codes(decision) == [reason]
