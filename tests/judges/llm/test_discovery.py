"""A judge that looks things up: with every way of answering, and within its time."""

from typing import Any

import pytest

from consensus.domain.decision import Hierarchy
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Evidence, FindingStatus
from consensus.domain.judges import Discovery, ProsePattern
from consensus.judges.llm import form
from consensus.judges.llm.chat import Finish, Reply, ToolUse
from consensus.judges.llm.lookups import STEP_CHARS
from consensus.judges.llm.reply import read_opinion
from tests.builders import criteria, submission
from tests.judges.llm.scripted import NONCE, SECONDS, ScriptedModel, finding, gradient, judge, says
from tests.judges.llm.scripted import told as replied
from tests.traces.building import SAMPLE
from tests.virtual_clock import VIRTUAL

OUTLINE = Discovery(token_threshold=0, max_steps=3)
ABOUT = submission(trace=SAMPLE, rubric=criteria("C1"))
LOOK = replied("", uses=(ToolUse("grep_trace", {"pattern": "sunny"}),))
TEMPLATE = "$reply\n=== user ===\n$nonce $rubric $task $messages $candidate $ask"


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


async def test_prose_is_read_of_a_judge_that_looked() -> None:
    model = ScriptedModel(LOOK, "PASS")
    found = await gradient(
        model,
        ABOUT,
        discovery=OUTLINE,
        template=TEMPLATE.replace("$messages", "$messages $trace"),
        reply="patterns",
        patterns=(ProsePattern(match="PASS", score=1.0),),
        missing_confidence=0.5,
    )
    assert (found.score, len(model.asked)) == (1.0, 2)
    assert "sunny" in model.asked[1].exchanges[0].results[0]


async def test_a_template_without_a_place_for_a_trace_is_told_none() -> None:
    model = ScriptedModel(says(0.9))
    found = await gradient(model, ABOUT, discovery=OUTLINE, template=TEMPLATE)
    assert (model.asked[0].tools, len(model.asked)) == ((), 1)
    assert model.asked[0].schema == form.schema(digit=False)
    assert "trace_told" not in found.metadata


async def test_results_stand_in_fences_of_their_own() -> None:
    model = ScriptedModel(LOOK, says(0.9))
    await gradient(model, ABOUT, discovery=OUTLINE)
    result = model.asked[1].exchanges[0].results[0]
    assert result.startswith(f"The KEY of this message is {NONCE}.\n<<<RESULT {NONCE}\n--- [")
    assert result.endswith(f"\nRESULT {NONCE}>>>")


@pytest.mark.parametrize(
    ("seconds", "looks"),
    [pytest.param(1.0, 3, id="quick"), pytest.param(4.0, 2, id="slow"), (9.0, 1)],
)
async def test_it_looks_no_further_where_the_time_does_for_a_decision_alone(
    seconds: float, looks: int
) -> None:
    model = ScriptedModel(*[LOOK] * looks, says(0.9), seconds=seconds)
    about = Evaluation(ABOUT, Hierarchy())
    await judge(model, discovery=OUTLINE).evaluate(about, 15 if seconds < 9 else 20)
    assert [bool(ask.tools) for ask in model.asked] == [True] * looks + [False]
    assert about.ledger("model").attempts == looks + 1


async def test_what_looking_costs_at_most_covers_what_it_costs() -> None:
    class Counting(ScriptedModel):
        def worst_cost(self, ask: Any) -> float:
            results = [each for exchange in ask.exchanges for each in exchange.results]
            return float(len(ask.user.encode()) + sum(len(each.encode()) for each in results))

    model = Counting(LOOK, LOOK, LOOK, says(0.9))
    asked = judge(model, discovery=OUTLINE)
    worst = await asked.worst_cost(Evaluation(ABOUT, Hierarchy()))
    await asked.evaluate(Evaluation(ABOUT, Hierarchy()), SECONDS)
    assert worst is not None
    assert worst > sum(map(model.worst_cost, model.asked))
    assert worst > 4 * STEP_CHARS * (0 + 1 + 2 + 2 * 3)
    unpriced = ScriptedModel(says(), cost=None)
    about = Evaluation(ABOUT, Hierarchy())
    assert await judge(unpriced, discovery=OUTLINE).worst_cost(about) is None


def test_a_quotation_may_name_its_span() -> None:
    quoted = finding("C1", "MET", "sunny")
    quoted["evidence"][0]["span_id"] = " [C2D3E4F5]"
    opinion = read_opinion(says(0.9, findings=[quoted]))
    assert opinion.findings[0].evidence == (Evidence("sunny", span_id="c2d3e4f5"),)
    assert opinion.findings[0].status is FindingStatus.MET
    quoted["evidence"][0]["span_id"] = 7
    with pytest.raises(JudgeFailed, match="a quotation's span is no text"):
        read_opinion(says(0.9, findings=[quoted]))


async def test_a_reply_without_calls_that_refuses_costs_the_seat_at_once() -> None:
    refusal: Reply = replied("", Finish.REFUSED)
    model = ScriptedModel(refusal)
    with pytest.raises(JudgeFailed, match="declined"):
        await judge(model, discovery=OUTLINE).evaluate(Evaluation(ABOUT, Hierarchy()), SECONDS)
    assert len(model.asked) == 1
