"""Overrides (proto -> domain) and policies as loaded (domain -> proto)."""

from collections.abc import Callable

from consensus.domain.policy import Overrides, Policy, PolicySet, Stage
from consensus.domain.submission import Check
from consensus.v1 import consensus_pb2 as pb
from consensus.wire.decision import STRATEGY_FROM, STRATEGY_TO
from consensus.wire.submission import rubric_to

_NUMBERS = ("threshold", "n", "min_score", "min_confidence", "min_agreement")


def overrides_from(message: pb.Overrides) -> Overrides:
    """Return the domain's overrides; an unknown strategy counts as unset."""
    numbers = {name: getattr(message, name) for name in _NUMBERS if message.HasField(name)}
    return Overrides(strategy=STRATEGY_FROM.get(message.strategy), **numbers)


def policies_to(policies: PolicySet, describe: Callable[[Check], str]) -> pb.ListPoliciesResponse:
    """Return the policies as loaded; `describe` says in words what a check asks for."""
    kinds = {name: spec.kind for name, spec in policies.judges.items()}
    return pb.ListPoliciesResponse(
        policies=[
            _policy_to(policy, policy.name == policies.default, kinds, describe)
            for policy in policies.policies.values()
        ]
    )


def _policy_to(
    policy: Policy, default: bool, kinds: dict[str, str], describe: Callable[[Check], str]
) -> pb.PolicySummary:
    return pb.PolicySummary(
        name=policy.name,
        revision=policy.revision,
        description=policy.description,
        default=default,
        enabled=policy.enabled,
        stages=[_stage_to(stage, kinds, describe) for stage in policy.stages],
        rubric=rubric_to(policy.rubric) if policy.rubric else None,
    )


def _stage_to(
    stage: Stage, kinds: dict[str, str], describe: Callable[[Check], str]
) -> pb.StageSummary:
    summary = pb.StageSummary(name=stage.name, checks=[describe(check) for check in stage.checks])
    if stage.panel is not None:
        summary.strategy = STRATEGY_TO[stage.panel.strategy]
        summary.quorum = stage.panel.quorum
        summary.seats.extend(
            pb.SeatSummary(judge=seat.judge, kind=kinds[seat.judge], weight=seat.weight)
            for seat in stage.panel.seats
        )
        summary.min_score = stage.gate.min_score
        summary.min_confidence = stage.gate.min_confidence
        summary.min_agreement = stage.gate.min_agreement
    return summary
