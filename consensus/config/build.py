"""Builds the policies of a parsed file and finds what only makes sense together."""

from pathlib import Path as FilePath

from msgspec.structs import replace

from consensus.config.cycles import nesting_faults
from consensus.config.faults import Faults
from consensus.config.file import PolicyFile, PolicySection
from consensus.config.guards import guard_faults
from consensus.config.judges import BenchBuilder
from consensus.config.positions import Path
from consensus.config.revision import revision
from consensus.config.rubric import build_rubric
from consensus.config.shape import suggestion
from consensus.config.stages import StageBuilder
from consensus.config.tools import build_tools, tools_revision
from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import Policy, PolicySet, SpendLimits, Stage
from consensus.domain.ports import CheckFaults
from consensus.domain.soundness import goal_stage_faults

EMBEDDED = ("checks", "coverage", "conduct")
"""Judges that exist without a section."""


def build(
    parsed: PolicyFile, folder: FilePath, check_faults: CheckFaults
) -> tuple[PolicySet, list[tuple[Path, str]]]:
    """Return the policies and what is wrong; they may only be used when nothing is."""
    faults = Faults()
    bench = BenchBuilder(folder, parsed.backends, parsed.policies, check_faults, faults)
    backends = {name: bench.backend(name, section) for name, section in parsed.backends.items()}
    judges = {name: JudgeSpec(name=name, kind="embedded") for name in EMBEDDED}
    for name, section in parsed.judges.items():
        if name in EMBEDDED:
            faults.add(("judges", name), "is the name of an embedded judge; must be another")
        judges[name] = bench.judge(name, section)
    templates = {
        n: spec.llm.template for n, spec in judges.items() if spec.llm and spec.llm.template
    }
    sandbox = parsed.sandbox.built(faults)
    stages = StageBuilder(judges, check_faults, faults, sandbox)
    policies = {
        name: _policy(name, section, stages, revision(section, parsed, templates), faults)
        for name, section in parsed.policies.items()
    }
    for name, content in parsed.policies.items():
        at: Path = ("policies", name)
        rubric = build_rubric(content.rubric, (*at, "rubric"), check_faults, faults, sandbox)
        policies[name] = replace(policies[name], rubric=rubric)
        for path, words in guard_faults(content.guards, content.stages):
            faults.add((*at, *path), words)
    default = _default(parsed, faults)
    policy_set = PolicySet(
        policies=policies,
        judges=judges,
        backends=backends,
        default=default,
        sandbox=sandbox,
        tools=build_tools(parsed.tools, policies, check_faults, faults),
        tools_revision=tools_revision(parsed.tools, policies),
        beside=tuple(bench.beside),
    )
    for path, words in nesting_faults(policy_set):
        faults.add(path, words)
    return policy_set, faults.found


def _default(parsed: PolicyFile, faults: Faults) -> str:
    names = list(parsed.policies)
    wanted = parsed.default_policy
    if wanted is None:
        wanted = "default" if "default" in names else names[0]
        if wanted != "default" and len(names) > 1:
            words = f"is missing, and no policy is named default; must be one of {', '.join(names)}"
            faults.add(("default_policy",), words)
    elif wanted not in names:
        hint = suggestion(wanted, names)
        words = f"is {wanted!r}; must be one of {', '.join(names)}{hint}"
        faults.add(("default_policy",), words)
    return wanted


def _policy(
    name: str,
    section: PolicySection,
    builder: StageBuilder,
    digest: str,
    faults: Faults,
) -> Policy:
    stages: list[Stage] = []
    for index, stage in enumerate(section.stages):
        path: Path = ("policies", name, "stages", index)
        if any(stage.name == earlier.name for earlier in stages):
            faults.add((*path, "name"), f"is {stage.name!r}, which an earlier stage has")
        stages.append(builder.stage(stage, path, last=index == len(section.stages) - 1))
    if section.guards is not None and section.guards.goal is not None:
        goal = section.guards.goal.built()
        faults.add_fields(("policies", name, "guards", "goal"), goal_stage_faults(goal, stages))
    return Policy(
        name=name,
        stages=tuple(stages),
        revision=digest,
        description=section.description,
        enabled=section.enabled,
        rubric_required=section.rubric == "required",
        deadline_seconds=section.deadline_seconds,
        spend=SpendLimits(**section.spend.model_dump()),
        guards=section.guards.built() if section.guards is not None else None,
    )
