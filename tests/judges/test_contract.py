"""The embedded judges keep the contract of every judge."""

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from consensus.config.build import EMBEDDED as NAMES
from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.ports import InstantJudge
from consensus.domain.submission import Check, Contains, Submission
from consensus.judges.embedded import embedded_judges
from consensus.validators import run_checks
from tests.builders import criteria, submission
from tests.judges.contract import abstains, answers_soundly
from tests.wire.submissions import received

JUDGES = embedded_judges(run_checks)
NOTHING: dict[str, list[Submission]] = {
    "checks": [submission(), submission(rubric=criteria("C1"))],
    "coverage": [submission(), submission("", outputs={"a": ""}, rubric=criteria("C1"))],
    "conduct": [submission(" ", outputs={"a": "text"})],
}
every_judge = pytest.mark.parametrize("judge", JUDGES.values(), ids=list(JUDGES))


@every_judge
@settings(max_examples=60)
@given(about=received)
async def test_any_submission_is_answered_soundly(judge: InstantJudge, about: Submission) -> None:
    await answers_soundly(judge, about)


@pytest.mark.parametrize(
    ("name", "about"), [(name, about) for name, given in NOTHING.items() for about in given]
)
async def test_nothing_to_judge_is_an_abstention(name: str, about: Submission) -> None:
    await abstains(JUDGES[name], about)


@every_judge
async def test_the_same_submission_is_answered_alike(judge: InstantJudge) -> None:
    check = Check(Contains("tower"))
    rubric = tuple(replace(c, checks=(check,)) for c in criteria("C1"))
    about = submission(rubric=(*rubric, *criteria("C2")))
    evaluations = [Evaluation(about, Hierarchy()) for _ in range(2)]
    first, second = map(judge.evaluate_now, evaluations)
    assert first == second


def test_every_embedded_judge_is_named_as_the_policy_file_knows_it() -> None:
    assert tuple(JUDGES) == NAMES
    assert all(judge.name == name and judge.description for name, judge in JUDGES.items())
