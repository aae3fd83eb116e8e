"""Judges that disagree, a missed quorum and a failed gate are answers, with every seat."""

import grpc

from consensus.v1 import decision_pb2 as pb
from consensus.v1.gradient_pb2 import Usage
from tests.service.running import policy, request, rules, serving
from tests.service.scripted_judge import abstention, answers, backend, gradient, refuses

SCORED, ABSTAINED = pb.SEAT_STATUS_SCORED, pb.SEAT_STATUS_ABSTAINED
FAILED = pb.SEAT_STATUS_FAILED


async def test_judges_that_disagree_are_an_answer() -> None:
    async with (
        backend(yes=answers(gradient(1.0)), no=answers(gradient(0.0))) as judges,
        serving(rules(judges.target, default=policy("yes", "no"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        consensus = decision.stages[0].consensus
        assert decision.verdict == pb.VERDICT_RETRY
        assert (consensus.final_score, consensus.agreement) == (0.5, 0.0)
        assert [seat.judge for seat in consensus.individual_results] == ["yes", "no"]
        assert server.witness.codes == [("Judge", "OK")]


async def test_a_missed_quorum_is_an_answer_with_every_seat_and_its_failure() -> None:
    down = refuses(grpc.StatusCode.UNAVAILABLE, "a secret of the backend")
    busy = refuses(grpc.StatusCode.RESOURCE_EXHAUSTED)
    rule = policy("down", "busy", "unsure", "garbled", "wild", panel={"quorum": 2})
    async with (
        backend(
            down=down,
            busy=busy,
            unsure=answers(abstention()),
            garbled=answers(b"\xff\xff\xff"),
            wild=answers(gradient(7.0)),
        ) as judges,
        serving(rules(judges.target, default=rule)) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        seats = decision.stages[0].consensus.individual_results
        assert decision.verdict == pb.VERDICT_ESCALATE
        assert decision.reasons[0].code == "QUORUM_MISSED"
        assert [seat.status for seat in seats] == [FAILED, FAILED, ABSTAINED, FAILED, FAILED]
        assert [seat.failure.kind for seat in seats] == [
            pb.FAILURE_KIND_ERROR,
            pb.FAILURE_KIND_OVERLOADED,
            pb.FAILURE_KIND_UNSPECIFIED,
            pb.FAILURE_KIND_UNREADABLE,
            pb.FAILURE_KIND_UNREADABLE,
        ]
        assert "secret" not in str(decision)
        assert server.witness.codes == [("Judge", "OK")]


async def test_a_gate_that_fails_is_an_answer_with_feedback() -> None:
    low = answers(gradient(0.2, reasoning="It names no source."))
    async with (
        backend(low=low) as judges,
        serving(rules(judges.target, default=policy("low"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        assert decision.verdict == pb.VERDICT_RETRY
        assert decision.stages[0].gate.answer == pb.GATE_ANSWER_FAIL
        assert "It names no source." in decision.feedback


async def test_reasoning_of_two_megabytes_is_cut_and_costs_nothing_else() -> None:
    wordy = answers(gradient(0.9, reasoning="x" * 2_000_000))
    async with (
        backend(wordy=wordy) as judges,
        serving(rules(judges.target, default=policy("wordy"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        (seat,) = decision.stages[0].consensus.individual_results
        assert seat.status == SCORED
        assert len(seat.gradient.reasoning) == 8_000


async def test_judges_that_tell_of_impossible_usage_fail_their_own_seats_alone() -> None:
    most = (1 << 63) - 1  # two of them are no number that the contract can hold
    lie = gradient()
    lie.usage.MergeFrom(Usage(input_tokens=most, output_tokens=most, cost_usd=1e308))
    async with (
        backend(a=answers(lie), b=answers(lie), honest=answers(gradient())) as judges,
        serving(rules(judges.target, default=policy("a", "b", "honest"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        seats = decision.stages[0].consensus.individual_results
        assert [seat.status for seat in seats] == [FAILED, FAILED, SCORED]
        assert not decision.HasField("usage")
