"""A tool call before it runs: its rule, checks of its arguments, then a policy's judges. Whatever
does not end in a pass ends in a denial.
"""

import contextlib
import json
import logging
from collections.abc import Mapping, Sequence

from msgspec.structs import asdict, replace

from consensus.cascade.compaction import compacted
from consensus.cascade.engine import Engine
from consensus.cascade.retry_signal import failed_checks, objections, retry_signal
from consensus.domain.decision import CheckResult, Decision, GateAnswer, Verdict
from consensus.domain.errors import InvalidRequest, PolicyDisabled, RequestError, Violation
from consensus.domain.policy import Policy, PolicySet
from consensus.domain.ports import Judges, Observer, Prover
from consensus.domain.submission import Submission
from consensus.domain.tool_call import Denial, PastToolCall, Proposal, ToolVerdict
from consensus.domain.tools import Show, ToolRule
from consensus.validators.arguments import (
    READABLE,
    ArgumentsError,
    argument_checks,
    read_arguments,
)

log = logging.getLogger("consensus.tool_calls")


class ToolCalls:
    """Judges tool calls by the rules of a policy file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def judge(
        self,
        proposal: Proposal,
        policies: PolicySet,
        judges: Judges,
        observer: Observer,
        *,
        named: Policy | None = None,
        budget_seconds: float,
        prover: Prover | None = None,
    ) -> ToolVerdict:
        """Return whether the call may run, within the budget.

        `named` judges in place of the rule's own policy; the rule's checks hold in any case.
        Raises InvalidRequest where the policy needs criteria and there are none; nothing else.
        """
        rule = policies.tool_rule(proposal.call.name)
        try:
            unjudged = _unjudged(proposal, rule, named)
            if isinstance(unjudged, ToolVerdict):
                return unjudged
            policy = named or _policy_of(rule, policies)
            _require_criteria(policy, proposal)
            asked = submission_of(proposal, read_arguments(proposal.call.arguments), _show(rule))
            if policy.rubric and not proposal.rubric:
                asked = replace(asked, rubric=policy.rubric)
            decision = await self._engine.judge(
                asked,
                policy,
                judges,
                observer,
                budget_seconds=budget_seconds,
                prover=prover,
            )
            return _judged(proposal, rule, unjudged, decision)
        except InvalidRequest:
            raise
        except RequestError as error:
            return _denied(Denial.FAILED, proposal, rule, [f"- {error}"])
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong may let a call through
            # Its text may hold judged content.
            log.error(  # noqa: TRY400
                "a tool call could not be judged", extra={"error": type(error).__name__}
            )
            return _denied(Denial.FAILED, proposal, rule, ["- the server failed to judge it"])


def submission_of(proposal: Proposal, arguments: Mapping[str, object], show: Show) -> Submission:
    """Return what judges see of a tool call: the call is the candidate, all else is context."""
    call = {"name": proposal.call.name, "arguments": compacted(arguments, show)}
    return Submission(
        task=proposal.task,
        candidate=json.dumps(call, ensure_ascii=False),
        rubric=proposal.rubric,
        policy_violations=tuple(proposal.policy_violations),
        context={
            "execution_id": proposal.execution_id,
            "validation_context": proposal.validation_context,
            "available_tools": list(proposal.available_tools),
            "worker_mounts": [asdict(mount) for mount in proposal.worker_mounts],
            "tool_audit_history": {"tool_calls": [_past(p) for p in proposal.tool_audit_history]},
            "policy_violations": list(proposal.policy_violations),
        },
    )


def _past(call: PastToolCall) -> dict[str, object]:
    told: dict[str, object] = asdict(call)
    with contextlib.suppress(ArgumentsError):  # then it is in words already
        arguments = read_arguments(call.arguments_summary)
        short = json.dumps(compacted(arguments, Show.BRIEF), ensure_ascii=False)
        told["arguments_summary"] = short if arguments else call.arguments_summary
    return told


def _unjudged(
    proposal: Proposal, rule: ToolRule | None, named: Policy | None
) -> ToolVerdict | list[CheckResult]:
    """Return the verdict where no judge is needed, else the checks that hold."""
    call = proposal.call
    if proposal.available_tools and call.name not in proposal.available_tools:
        why = [f"- {call.name!r} is not among the tools that you have."]
        return _denied(Denial.UNKNOWN_TOOL, proposal, rule, why)
    if rule is None and named is None:
        why = [f"- No rule allows the tool {call.name!r}."]
        return _denied(Denial.NO_RULE, proposal, rule, why)
    try:
        arguments = read_arguments(call.arguments)
    except ArgumentsError as error:
        unreadable = [CheckResult(READABLE, False, f"the text {error}"[:1_000])]
        return _denied(Denial.ARGUMENTS, proposal, rule, failed_checks(unreadable), unreadable)
    checks = argument_checks(rule, arguments) if rule else []
    if failed := failed_checks(checks):
        return _denied(Denial.ARGUMENTS, proposal, rule, failed, checks)
    if rule is not None and rule.skip_judge and named is None:
        return ToolVerdict(tool=call.name, rule=rule.match, denial=None, checks=checks)
    return checks


def _policy_of(rule: ToolRule | None, policies: PolicySet) -> Policy:
    """Return the rule's policy. Raises PolicyDisabled."""
    policy = policies.policies[rule.policy if rule else policies.default]
    if not policy.enabled:
        raise PolicyDisabled(f"policy {policy.name!r} is disabled")
    return policy


def _require_criteria(policy: Policy, proposal: Proposal) -> None:
    if policy.rubric_required and not proposal.rubric:
        words = f"is empty; policy {policy.name!r} needs at least one criterion"
        raise InvalidRequest([Violation("rubric.criteria", words)])


def _show(rule: ToolRule | None) -> Show:
    return rule.show if rule else Show.EXCERPTS


def _judged(
    proposal: Proposal, rule: ToolRule | None, checks: Sequence[CheckResult], decision: Decision
) -> ToolVerdict:
    """Return the verdict of a decision: only ACCEPT on the last stage's PASS allows."""
    answer = decision.stages[-1].gate.answer if decision.stages else None
    if decision.verdict is Verdict.ACCEPT and answer is GateAnswer.PASS:
        return ToolVerdict(
            tool=proposal.call.name,
            rule=rule.match if rule else "",
            denial=None,
            checks=checks,
            decision=decision,
        )
    denial = Denial.NO_QUORUM if answer is GateAnswer.NO_QUORUM else Denial.REJECTED
    return _denied(denial, proposal, rule, objections(decision), checks, decision)


def _denied(
    denial: Denial,
    proposal: Proposal,
    rule: ToolRule | None,
    why: Sequence[str],
    checks: Sequence[CheckResult] = (),
    decision: Decision | None = None,
) -> ToolVerdict:
    return ToolVerdict(
        tool=proposal.call.name,
        rule=rule.match if rule else "",
        denial=denial,
        retry_signal=retry_signal(denial, proposal, why),
        checks=checks,
        decision=decision,
    )
