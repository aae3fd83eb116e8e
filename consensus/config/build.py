"""Builds the policies of a parsed file and finds what only makes sense together."""

from pathlib import Path as FilePath

from consensus.config.faults import Faults
from consensus.config.model import JudgeSection, PolicyFile, PolicySection
from consensus.config.positions import Path
from consensus.config.revision import revision
from consensus.config.shape import suggestion
from consensus.config.stages import StageBuilder
from consensus.domain.policy import JudgeSpec, Policy, PolicySet, Stage
from consensus.domain.ports import CheckFaults

EMBEDDED = ("checks", "coverage", "conduct")
"""Judges that exist without a section."""


def build(
    parsed: PolicyFile, folder: FilePath, check_faults: CheckFaults
) -> tuple[PolicySet, list[tuple[Path, str]]]:
    """Return the policies and what is wrong; they may only be used when nothing is."""
    faults = Faults()
    judges = {name: JudgeSpec(name=name, kind="embedded") for name in EMBEDDED}
    for name, section in parsed.judges.items():
        if name in EMBEDDED:
            faults.add(("judges", name), "is the name of an embedded judge; must be another")
        judges[name] = _judge(name, section, folder, faults)
    stages = StageBuilder(judges, check_faults, faults)
    policies = {
        name: _policy(name, section, stages, parsed.judges, faults)
        for name, section in parsed.policies.items()
    }
    default = _default(parsed, faults)
    return PolicySet(policies=policies, judges=judges, default=default), faults.found


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


def _judge(name: str, section: JudgeSection, folder: FilePath, faults: Faults) -> JudgeSpec:
    tls = section.tls
    ca_file = str(folder / tls.ca_file) if tls and tls.ca_file else ""
    if ca_file and not FilePath(ca_file).is_file():
        words = f"is {ca_file!r}; must be a file, and there is none"
        faults.add(("judges", name, "tls", "ca_file"), words)
    return JudgeSpec(
        name=name,
        kind=section.kind,
        target=section.target,
        remote_judge=section.judge,
        tls=tls is not None,
        tls_ca_file=ca_file,
        tls_server_name=tls.server_name if tls else "",
    )


def _policy(
    name: str,
    section: PolicySection,
    builder: StageBuilder,
    judges: dict[str, JudgeSection],
    faults: Faults,
) -> Policy:
    stages: list[Stage] = []
    for index, stage in enumerate(section.stages):
        path: Path = ("policies", name, "stages", index)
        if any(stage.name == earlier.name for earlier in stages):
            faults.add((*path, "name"), f"is {stage.name!r}, which an earlier stage has")
        stages.append(builder.stage(stage, path, last=index == len(section.stages) - 1))
    return Policy(
        name=name,
        stages=tuple(stages),
        revision=revision(section, judges),
        description=section.description,
        enabled=section.enabled,
        rubric_required=section.rubric == "required",
        deadline_seconds=section.deadline_seconds,
    )
