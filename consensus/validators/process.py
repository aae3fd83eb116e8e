"""How the candidate's process ended, as a check sees it."""

from consensus.domain.submission import ExitCode, ProcessResult

_SHOWN = 200
"""Characters of standard error that are shown, the last ones: there a program says why it ended."""


def exit_code(wanted: ExitCode, process: ProcessResult | None) -> tuple[float, str]:
    """Return the check's score, 0 to 1, and what was seen."""
    if process is None:
        return 0.0, "the candidate comes from no process"
    seen = f"exit code {process.exit_code}{_standard_error(process.stderr)}"
    if process.exit_code != wanted.expected:
        return 0.0, seen
    return (wanted.stderr_score if process.stderr else 1.0), seen


def _standard_error(text: str) -> str:
    if not text:
        return ""
    shown = " ".join(text[-2 * _SHOWN :].split())[-_SHOWN:]
    return f", {len(text)} characters of standard error, at the end: {shown}"
