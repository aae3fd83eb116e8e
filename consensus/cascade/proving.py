"""Has the sandbox prove what only the world can tell, before any stage runs, so that checks and
judges stay pure: they look their results up.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from consensus.cascade.admission import plain
from consensus.cascade.budget import Budget
from consensus.cascade.waiting import SideBySide
from consensus.domain.decision import CheckResult
from consensus.domain.evaluation import Evaluation, Proofs
from consensus.domain.gradient import Evidence
from consensus.domain.policy import Policy
from consensus.domain.ports import Proof, Prover
from consensus.domain.submission import Check, SandboxKind, Submission
from consensus.validators import Effort, EffortSpentError, describe, subjects

BUDGET_SHARE = 0.5
"""Most of the budget that proofs may take: the stages need the rest."""
MAX_MESSAGE = 1_000
MAX_QUOTE = 200
_LATE = Proof(False, "it was not verified: it took too long")
_NOBODY = Proof(False, "it was not verified: there is no sandbox")
_NOTHING = Proof(False, "there is nothing of this kind, or it is too long")
_TOO_MUCH = Proof(False, "not checked: the checks of this submission take more work than one may")


def sandboxed(policy: Policy, submission: Submission) -> dict[Check, SandboxKind]:
    """Return every check of the rubric and of the policy's stages that needs the sandbox."""
    found: dict[Check, SandboxKind] = {}
    for criterion in submission.rubric:
        if criterion.checks:
            found |= _sandboxed(criterion.checks)
    for stage in policy.stages:
        if stage.checks:
            found |= _sandboxed(stage.checks)
    return found


def _sandboxed(checks: Sequence[Check]) -> dict[Check, SandboxKind]:
    return {check: check.kind for check in checks if isinstance(check.kind, SandboxKind)}


async def prove(
    checks: Mapping[Check, SandboxKind],
    evaluation: Evaluation,
    prover: Prover | None,
    budget: Budget,
) -> Proofs:
    """Return the results of all these checks, those that are known already included.

    All are proven side by side. One that crashes, or is not done in time, does not hold.
    """
    results = dict(evaluation.proofs or ())
    beside, effort = SideBySide(None), Effort()
    for check, kind in checks.items():
        if check in results:
            continue
        try:
            found = subjects(check, evaluation.submission, effort)
        except EffortSpentError:
            results[check] = _result(check, _TOO_MUCH)
            continue
        results[check] = _result(check, _LATE if found else _NOTHING)
        if found and prover is None:
            results[check] = _result(check, _NOBODY)
        elif found and prover is not None:
            task = asyncio.create_task(_prove(check, partial(prover.prove, kind, found), results))
            beside.add(task, None)
    await beside.run(budget.left() * BUDGET_SHARE)
    return dict(results)  # whoever holds out against its cancellation changes nothing any more


async def _prove(
    check: Check, proof: Callable[[], Awaitable[Proof]], results: dict[Check, CheckResult]
) -> None:
    try:
        results[check] = _result(check, await proof())
    except Exception as error:  # noqa: BLE001 - its text may hold judged content
        crashed = Proof(False, f"it was not verified: crashed with {type(error).__name__}")
        results[check] = _result(check, crashed)


def _result(check: Check, proof: Proof) -> CheckResult:
    quotes = [quote[:MAX_QUOTE] for quote in proof.quotes if quote.strip()]
    return CheckResult(
        check=describe(check),
        passed=proof.passed,
        message=plain(proof.message, MAX_MESSAGE),
        evidence=tuple([Evidence(quote) for quote in quotes]),
    )
