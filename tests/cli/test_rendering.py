"""Whatever a server and its judges say is shown as plain text, in the columns there are."""

import unicodedata

import grpc
import pytest
from rich.cells import cell_len

from consensus.v1 import consensus_pb2, decision_pb2, gradient_pb2, submission_pb2
from tests.cli.running import SECOND, answering, run
from tests.wire.sample import DECISION, decision_to

HOSTILE = (
    "[bold red]ACCEPT[/bold red] [/x] \x1b[2J\x1b]0;owned\x07 \u202eTPECCA\u2066 \r\x9b31m\\[a]"
)
SHOWN = "[bold red]ACCEPT[/bold red] [/x] [2J]0;owned TPECCA 31m\\[a]"


def decided(decision: decision_pb2.Decision) -> consensus_pb2.StreamJudgeResponse:
    """Return the last event of a stream."""
    return consensus_pb2.StreamJudgeResponse(decision=decision)


def shown(decision: decision_pb2.Decision, *, code: int = 1, columns: int = 80) -> str:
    """Return what the command prints of a server's decision."""
    with answering(decided(decision)) as address:
        ran = run("judge", SECOND, "--target", address, columns=columns)
    assert ran.code == code
    assert ran.err == ""
    assert max(cell_len(line) for line in ran.out.splitlines()) <= columns
    assert not {char for char in ran.out if unicodedata.category(char) in ("Cc", "Cf")} - {"\n"}
    return ran.out


def test_every_kind_of_seat_is_shown_in_one_row_with_what_it_says_below() -> None:
    rows = [line.split() for line in shown(decision_to(DECISION)).splitlines()]
    assert ["a", "2", "scored", "━━━━╌╌╌╌", "0.50", "━━━━━━━━", "1.00", "1.5", "s"] in rows
    assert ["b", "1", "abstained", "0.0", "ms"] in rows
    assert ["c", "0", "failed", "0.0", "ms"] in rows
    assert ["d", "1", "skipped"] in rows
    assert ["a", "(3", "struck)"] in rows
    assert ["b", "no"] in rows
    assert ["c", "timeout:", "late"] in rows
    assert ["d", "not", "needed", "any", "more"] in rows


def test_numbers_dissents_checks_and_quotes_are_shown() -> None:
    out = shown(decision_to(DECISION))
    assert "RETRY  score 0.500  2.5 s" in out
    assert "stage bench: PASS, settled early" in out
    assert "median: score 0.500  confidence 0.250  agreement 0.75  coverage 0.50  tie" in out
    assert "dissent a (0.50): flips if a scores >= 0.70" in out
    assert "dissent b (0.10): no single seat can flip it" in out
    assert "✗   contains x   not found" in out
    assert "“tower”" in out
    assert "Holds C1 (required)" in out
    assert "• TIE A tie." in out
    assert "Mend it." in out


LONG_NAMES = {
    "a": "exactness-of-the-arithmetic1",
    "b": "exactness-of-the-arithmetic2",
    "c": "conduct-and-safety-of-replies",
    "d": "算術の正確さと引用の裏付けを確かめる審査員",
}


def long_names() -> decision_pb2.Decision:
    """Return the sample decision, with judges of long names and a seat that took its time."""
    decision = decision_to(DECISION)
    for seat in decision.stages[1].consensus.individual_results:
        seat.judge = LONG_NAMES[seat.judge]
        seat.duration.FromMilliseconds(999)
    return decision


def test_in_60_columns_long_names_lose_their_middle_and_numbers_nothing() -> None:
    out = shown(long_names(), columns=60)
    rows = [line.split() for line in out.splitlines()]
    assert ["judge", "weight", "status", "score", "conf.", "time"] in rows
    assert ["exactnes…thmetic1", "2", "scored", "0.50", "1.00", "999.0", "ms"] in rows
    assert ["exactnes…thmetic2", "1", "abstained", "999.0", "ms"] in rows
    assert ["conduct-…-replies", "0", "failed", "999.0", "ms"] in rows
    assert ["算術の正確さと引…", "1", "skipped"] in rows
    assert "exactness-o…rithmetic2  no" in out
    assert "median: score 0.500  confidence 0.250  agreement 0.75\ncoverage 0.50  " in out


def test_in_80_columns_a_long_name_is_whole_beside_what_the_judge_says() -> None:
    out = shown(long_names())
    for judge in ("a", "b", "c"):
        assert f"\n{LONG_NAMES[judge]} " in out
    assert "━━━━╌╌╌╌ 0.50" in out
    assert "median: score 0.500  confidence 0.250  agreement 0.75  coverage 0.50" in out


def test_in_40_columns_times_go_before_a_number_is_cut() -> None:
    rows = [line.split() for line in shown(long_names(), columns=40).splitlines()]
    assert ["exa…ic1", "2", "scored", "0.50", "1.00"] in rows
    assert ["exa…ic2", "1", "abstained"] in rows


def test_a_quotation_of_a_span_is_shown_with_its_id() -> None:
    decision = decision_to(DECISION)
    decision.criteria[0].evidence[0].span_id = "c2d3e4f5"
    assert "“tower” [c2d3e4f5]" in shown(decision)


def test_missing_numbers_are_shown_as_missing() -> None:
    decision = decision_to(DECISION)
    decision.ClearField("effective_score")
    consensus = decision.stages[1].consensus
    consensus.ClearField("agreement")
    out = shown(decision)
    assert "RETRY  2.5 s" in out
    assert "agreement -" in out
    consensus.ClearField("final_score")
    assert "median: no quorum, coverage 0.50" in shown(decision)
    consensus.dissents[0].flip.upward = False
    assert "scores <= 0.70" in shown(decision)


def test_markup_and_escape_codes_of_judges_are_harmless() -> None:
    decision = decision_to(DECISION)
    stage = decision.stages[1]
    seats = stage.consensus.individual_results
    seats[0].gradient.reasoning = seats[1].abstention.reason = seats[2].failure.reason = HOSTILE
    for message, field in [
        (decision, "feedback"),
        (decision, "policy"),
        (decision.reasons[0], "code"),
        (decision.reasons[0], "message"),
        (decision.criteria[0], "text"),
        (decision.criteria[0], "criterion_id"),
        (decision.criteria[0].evidence[0], "quote"),
        (decision.criteria[0].evidence[0], "span_id"),
        (decision.stages[0].checks[0], "check"),
        (decision.stages[0].checks[0], "message"),
        (stage, "stage"),
        (stage.consensus.dissents[0], "judge"),
        (stage.consensus.dissents[0].flip, "judge"),
        (seats[3], "judge"),
    ]:
        setattr(message, field, HOSTILE)
    out = "".join(shown(decision).split())
    assert out.count("".join(SHOWN.split())) >= 5


def test_values_newer_than_this_program_are_shown_as_numbers() -> None:
    decision = decision_to(DECISION)
    decision.verdict = 9  # type: ignore[assignment]
    decision.criteria[0].status = 9  # type: ignore[assignment]
    stage = decision.stages[1]
    stage.gate.answer = stage.consensus.strategy = 9  # type: ignore[assignment]
    stage.consensus.individual_results[0].status = 9  # type: ignore[assignment]
    stage.consensus.individual_results[2].failure.kind = 99  # type: ignore[assignment]
    out = shown(decision, code=4)
    assert "stage bench: #9" in out
    assert "#99: late" in out
    assert "?   C1" in out


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, 3),
        (grpc.StatusCode.UNAVAILABLE, 4),
        (grpc.StatusCode.UNIMPLEMENTED, 4),
        (grpc.StatusCode.INTERNAL, 4),
    ],
)
def test_an_error_of_the_server_is_a_sentence_without_escape_codes(
    error: grpc.StatusCode, code: int
) -> None:
    with answering(error=(error, "no\x1b[2J\x07 way")) as address:
        ran = run("judge", SECOND, "--target", address)
    assert ran.code == code
    assert ran.err == f"Error: {address} answered {error.name}: no[2J way\n"


def test_a_stream_that_ends_without_a_decision_is_a_failure() -> None:
    started = consensus_pb2.SeatStarted(stage="s", judge="a")
    with answering(consensus_pb2.StreamJudgeResponse(seat_started=started)) as address:
        ran = run("judge", SECOND, "--target", address)
    assert (ran.code, ran.err) == (4, "Error: the stream ended without a decision\n")


def test_what_models_used_and_how_far_the_goal_is_are_shown() -> None:
    used = gradient_pb2.Usage(input_tokens=1_200, output_tokens=34, cost_usd=0.00125)
    goal = submission_pb2.GOAL_STATUS_PARTIAL
    decision = decision_to(DECISION)
    decision.MergeFrom(decision_pb2.Decision(usage=used, goal_status=goal))
    assert "goal PARTIAL" in shown(decision)
    assert "1,234 tokens, $0.0013" in shown(decision)
    decision.usage.ClearField("cost_usd")
    assert "1,234 tokens, cost unknown" in shown(decision)


def test_what_became_of_a_test_is_shown() -> None:
    decision = decision_to(DECISION)
    decision.scenario_outcome = decision_pb2.SCENARIO_OUTCOME_CONTINUE
    assert "scenario CONTINUE" in shown(decision)
