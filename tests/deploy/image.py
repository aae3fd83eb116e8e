"""Reads the Dockerfile into its instructions."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Dockerfile"


@dataclass(slots=True)
class Stage:
    """One stage: its base, and its instructions in order."""

    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def of(self, name: str) -> list[str]:
        """Return the arguments of every instruction of this name."""
        return [arguments for found, arguments in self.instructions if found == name]

    def words(self, name: str) -> list[str]:
        """Return the only instruction of this name, in exec form, as its words."""
        (arguments,) = self.of(name)
        found: list[str] = json.loads(arguments)
        return found

    @property
    def environment(self) -> dict[str, str]:
        """What ENV sets."""
        return {
            key: value.strip('"')
            for arguments in self.of("ENV")
            for key, value in re.findall(r'(\w+)=("[^"]*"|\S+)', arguments)
        }


def instructions() -> list[tuple[str, str]]:
    """Return (name, arguments) for each instruction, comments and line ends taken out."""
    lines = [line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    found = (line.partition(" ") for line in joined.splitlines() if line.strip())
    return [(name, arguments.strip()) for name, _, arguments in found]


def stages() -> list[Stage]:
    """Return the stages in order."""
    found: list[Stage] = []
    for name, arguments in instructions():
        if name == "FROM":
            found.append(Stage(arguments))
        elif found:
            found[-1].instructions.append((name, arguments))
    return found
