"""The law of early settlement, through the engine: whatever the judges, strategies, gates and the
order of answers, the verdict is the one that waiting for all gives.
"""

from collections.abc import Sequence

from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, Finding, FindingStatus
from consensus.domain.policy import Action, Gate, Panel, Seat, Settle, Stage, StrategyName, Tie
from consensus.domain.ports import Judge
from tests.aggregation.panels import RULES, UNITS
from tests.builders import (
    Instant,
    Script,
    Waiting,
    Watcher,
    criteria,
    decide,
    scores,
    seats_of,
    submission,
)

ABOUT = submission(rubric=(*criteria("C1", "C2"), *criteria("C3", required=False)))
NO_ANSWER: list[Script] = [
    Abstention("cannot tell"),
    JudgeFailed(FailureKind.ERROR, "broken"),
    ValueError("crash"),
    scores(7.0),
]
units = st.sampled_from([*UNITS, 0.0, 1.0, 1.0, 0.0])
finding_sets = st.lists(
    st.builds(
        Finding,
        criterion_id=st.sampled_from(["C1", "C2", "C3"]),
        status=st.sampled_from(FindingStatus),
    ),
    max_size=3,
    unique_by=lambda finding: finding.criterion_id,
)
met = [Finding(criterion_id=name, status=FindingStatus.MET) for name in ("C1", "C2")]
scripts = st.one_of(
    st.builds(scores, units, units, findings=finding_sets.map(tuple)),
    st.builds(scores, units, units, findings=st.just(tuple(met))),
    st.sampled_from(NO_ANSWER),
)
gates = st.builds(
    Gate,
    min_score=st.sampled_from([0.7, 0.5, 1.0, 0.05, 0.0]),
    min_confidence=st.sampled_from([0.0, 0.0, 0.3, 0.6, 0.9]),
    min_agreement=st.sampled_from([0.0, 0.0, 0.3, 0.6, 0.9]),
)


@st.composite
def benches(draw: st.DrawFn) -> tuple[Stage, list[Judge]]:
    """Draw a stage that settles early, and judges that answer in any order."""
    count = draw(st.integers(1, 6))
    weights = draw(
        st.lists(st.sampled_from([1.0, 1.0, 2.0, 0.0, 0.3]), min_size=count, max_size=count)
    )
    weights[draw(st.integers(0, count - 1))] = 1.0
    voters = sum(weight > 0 for weight in weights)
    strategy = draw(st.sampled_from(StrategyName))
    panel = replace(
        draw(st.sampled_from(RULES)),
        seats=tuple(Seat(judge=f"j{i}", weight=weight) for i, weight in enumerate(weights)),
        strategy=strategy,
        n=draw(st.integers(1, voters)) if strategy is StrategyName.BEST_OF_N else None,
        quorum=draw(st.integers(1, voters)),
        tie=draw(st.sampled_from(Tie)),
        settle=Settle.EARLY,
    )
    order = draw(st.permutations(range(count)))
    instant = draw(st.integers(0, count))
    judges: list[Judge] = [
        Instant(f"j{i}", draw(scripts))
        if order[i] < instant and draw(st.booleans())
        else Waiting(f"j{i}", 1 + order[i], draw(scripts))
        for i in range(count)
    ]
    actions = st.sampled_from([Action.RETRY, Action.ESCALATE])
    rules = Stage(
        name="bench",
        panel=panel,
        gate=draw(gates),
        on_pass=Action.ACCEPT,
        on_fail=draw(actions),
        on_unsure=draw(actions),
        on_no_quorum=draw(st.sampled_from([Action.FAIL, Action.RETRY, Action.ACCEPT])),
    )
    return rules, judges


async def verdict(rules: Stage, judges: Sequence[Judge]) -> tuple[str, bool]:
    """Return the verdict, or the error in its place, and whether the stage was settled early."""
    watcher = Watcher()
    try:
        decision = await decide(rules, *judges, about=ABOUT, watcher=watcher)
    except AllJudgesUnavailable as error:
        return error.REASON, False
    finally:
        assert watcher.balanced
    assert list(seats_of(decision)) == [f"j{i}" for i in range(len(judges))]
    return decision.verdict.value, decision.stages[0].settled


def waiting_for_all(rules: Stage) -> Stage:
    """Return the same stage, but one that waits for all."""
    assert isinstance(rules.panel, Panel)
    return replace(rules, panel=replace(rules.panel, settle=Settle.WAIT_ALL))


@settings(max_examples=200)
@given(benches())
async def test_settling_early_never_changes_the_verdict(bench: tuple[Stage, list[Judge]]) -> None:
    rules, judges = bench
    early, settled = await verdict(rules, judges)
    patient, _ = await verdict(waiting_for_all(rules), judges)
    event(f"settled early: {settled}")
    assert early == patient
