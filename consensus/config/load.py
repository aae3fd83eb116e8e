"""Turns a policy file into a PolicySet, or into everything that is wrong with it, with lines."""

from pathlib import Path as FilePath

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from consensus.config.build import build
from consensus.config.file import PolicyFile
from consensus.config.nodes import MAX_BYTES
from consensus.config.positions import Path, PositionedYaml, dotted, shown
from consensus.config.shape import NAME, allowed, choices, keys, node_at, suggestion
from consensus.domain.errors import PolicyFault, PolicyFileError
from consensus.domain.policy import PolicySet
from consensus.domain.ports import CheckFaults

BUNDLED = FilePath(__file__).with_name("default_policy.yaml")
"""The policy of embedded judges that serves without any configuration."""


def load_policies(file: FilePath, check_faults: CheckFaults) -> PolicySet:
    """Read the policy file. Raises PolicyFileError with every fault, OSError words included."""
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_BYTES + 1).decode("utf-8")
    except OSError as error:
        words = f"cannot be read: {error.strerror or error}"
        raise PolicyFileError(str(file), [PolicyFault(1, "(file)", words)]) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        fault = PolicyFault(line, "(file)", f"is not UTF-8 at byte {error.start}")
        raise PolicyFileError(str(file), [fault]) from error
    return parse_policies(text, file, check_faults)


def parse_policies(text: str, file: FilePath, check_faults: CheckFaults) -> PolicySet:
    """Parse the text of a policy file; `file` is for messages and relative paths."""
    source = PositionedYaml(text)
    if source.faults:
        raise PolicyFileError(str(file), source.faults)
    try:
        parsed = PolicyFile.model_validate({} if source.value is None else source.value)
    except ValidationError as error:
        faults = [_fault(detail, source) for detail in error.errors(include_url=False)]
        raise PolicyFileError(str(file), faults) from None
    policies, wrong = build(parsed, file.parent, check_faults)
    if wrong:
        faults = [PolicyFault(source.line(path), dotted(path), words) for path, words in wrong]
        raise PolicyFileError(str(file), faults, policies.beside)
    return policies


def _fault(detail: ErrorDetails, source: PositionedYaml) -> PolicyFault:
    path: Path = detail["loc"]
    if path and path[-1] == "[key]":  # a key of a mapping whose keys are names
        path = path[:-1]
    return PolicyFault(source.line(path), dotted(path), _words(detail, path))


def _words(detail: ErrorDetails, path: Path) -> str:
    match detail["type"]:
        case "missing":
            return f"is missing; must be {allowed(node_at(path))}"
        case "extra_forbidden":
            known = keys(node_at(path[:-1]))
            hint = suggestion(str(path[-1]), known)
            return f"is not a key here{hint}; the keys are {', '.join(known)}"
        case "string_pattern_mismatch" if detail["loc"] != path:
            return f"is no name; must be {NAME}"
        case _:
            node = node_at(path)
            hint = suggestion(str(detail["input"]), choices(node))
            return f"is {shown(detail['input'])}; must be {allowed(node)}{hint}"
