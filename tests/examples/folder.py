"""Where the examples are, and the tables of their README."""

from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
SUBMISSIONS = EXAMPLES / "submissions"
POLICIES = EXAMPLES / "policies"
TOOL_CALLS = EXAMPLES / "tool_calls"
VERDICTS = {"ACCEPT": 0, "RETRY": 1, "ESCALATE": 2}
ENDS = VERDICTS | {"UNAVAILABLE": 4}
"""Exit codes of `consensus judge`: the verdicts', and that of an error in place of one."""


def readme_table(heading: str) -> list[list[str]]:
    """Return the cells of the first table under a heading of the README, without its head."""
    text = (EXAMPLES / "README.md").read_text("utf-8").split(f"## {heading}\n")[1]
    lines = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]
