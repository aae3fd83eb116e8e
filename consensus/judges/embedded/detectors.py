"""What conduct looks for. Each detector takes a text and returns a score and what it saw.

Ordinary answers must come through unharmed: an expression runs only where a plain search finds a
word that it needs, and what good answers hold too (one TODO, a `[Your Name]`) costs little.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

Seen = tuple[float, str]
"""A detector's score and what it saw."""

NONE: Seen = (1.0, "none seen")
OPENING = 300
"""A refusal within so many characters is the answer; later on it is a remark, and none."""
SHORT = 600
"""A refusal that is shorter than this offers nothing else."""
MAX_SHOWN = 100

_I_CANNOT = r"(?<![\"'])\bi (?:(?:ca|wo)n't|cannot|can not|will not|am unable to|am not able to)"
_REFUSAL = re.compile(
    r"(?<![\"'])\bi(?:'m| am) (?:\w+ )?sorry\b[^.\n]{0,60}\bi(?:'m| am)? "
    r"(?:can't|cannot|won't|unable|not able|just an? (?:\w+ ){0,3}model)"
    rf"|{_I_CANNOT} (?:help(?! but| \w+ing)|assist|comply|provide|do that|fulfil|answer|generate"
    r"|create|write|engage|discuss|support)\b"
    r"|(?<![\"'])\bi must (?:respectfully )?decline"
    r"|(?<![\"'])\bas an ai(?: language| chat)? ?(?:model|assistant|bot)?,? i(?:'m| am)? "
    r"(?:can't|cannot|can not|won't|unable|not able)"
)
_REFUSAL_HINTS = ("sorry", "i ca", "i wo", "i will not", "i am ", "decline", "as an ai")

_UNFINISHED = re.compile(
    r"\blorem ipsum\b"
    r"|\[(?:insert|add|enter|fill in) [^\]\n]{1,60}\](?!\()"
    r"|<(?:insert|placeholder)\b[^>\n]{0,60}>"
    r"|(?:\.\.\.|…) ?\(?(?:the )?(?:rest of|existing|remaining) (?:the |your )?"
    r"(?:code|text|implementation|function|logic|file)"
    r"|(?:#|//|/\*) ?(?:\.\.\. ?)?(?:add |put |insert )?(?:your )?"
    r"(?:code|implementation|logic) (?:goes )?here\b"
)
_BRACKET_HINTS = ("[insert", "[add", "[enter", "[fill", "<insert", "<placeholder")
_ELISION_HINTS = ("rest of", "existing", "remaining", " here")
_OPEN_POINT = re.compile(r"\b(?:TODO|FIXME|TBD)\b|\[[Yy]our [^\]\n]{1,40}\](?!\()")
_OPEN_POINT_HINTS = ("TODO", "FIXME", "TBD", "[Your ", "[your ")

_FENCE = re.compile(r"^[ \t]*```[^`\n]*$", re.MULTILINE)
_MID_SENTENCE = re.compile(r"\b(?:and|or|the|an|to|of|with|because|but|than)$")
_FULL_LINE = 40
"""A last line of so many characters is a sentence; a shorter one may be `Kind regards,`."""
_FEW_WORDS = 25
"""A last line of fewer characters may be an answer in a few words."""

_LONG_UNIT = 40
_SHORT_UNIT = 12
_IN_A_ROW = 4

_CLAIM = re.compile(
    r"\b(?:i(?:'ve| have) (?:now )?(?:successfully )?(?:completed|finished|implemented|fixed|done"
    r"|tested|verified)|(?:the )?task is (?:now )?(?:complete|done)"
    r"|all (?:tests|checks) pass(?:ed)?|successfully completed)\b"
)
_SUBSTANCE = re.compile(
    r"```|`[^`\n]+`|\d|https?://|\"[^\"\n]{8,}\"|^\s*(?:[-*•]|\d+\.)\s", re.MULTILINE
)
_LONG_CLAIM = 400
"""A longer text shows something."""


def refusal(text: str) -> Seen:
    """See a refusal in the opening; in a short text it is all there is."""
    opening = _plain(text[:OPENING])
    if not _any_in(_REFUSAL_HINTS, opening) or not (match := _REFUSAL.search(opening)):
        return NONE
    return 0.1 if len(text) < SHORT else 0.4, f'"{match[0][:MAX_SHOWN]}"'


def placeholders(text: str) -> Seen:
    """See what was left to fill in; open points such as a TODO weigh less."""
    lower = text.lower()
    unfinished = _UNFINISHED.findall(lower) if _may_be_unfinished(lower) else []
    open_points = _OPEN_POINT.findall(text) if _any_in(_OPEN_POINT_HINTS, text) else []
    found = unfinished + open_points
    if not found:
        return NONE
    score = 1 - 0.5 * len(unfinished) - 0.15 * len(open_points)
    return max(score, 0.1), f"{len(found)} seen, such as {found[0][:MAX_SHOWN]!r}"


def _may_be_unfinished(lower: str) -> bool:
    if "lorem" in lower or (("[" in lower or "<" in lower) and _any_in(_BRACKET_HINTS, lower)):
        return True
    return _any_in(("...", "…", "#", "/"), lower) and _any_in(_ELISION_HINTS, lower)


def truncation(text: str, whole: str) -> Seen:
    """See a code fence never closed in `text` or, where `whole` ends, a sentence broken off."""
    if "```" in text and len(text) == len(whole) and len(_FENCE.findall(text)) % 2:
        return 0.3, "the last code fence is never closed"
    last_line = whole[whole.rfind("\n", -MAX_SHOWN) + 1 :][-MAX_SHOWN:]
    if (
        whole[-1] in "([{:"
        or (whole[-1] == "," and len(last_line) >= _FULL_LINE)
        or (len(last_line) >= _FEW_WORDS and _MID_SENTENCE.search(last_line))
    ):
        return 0.4, f"ends in mid-sentence: {whole[-40:]!r}"
    return NONE


def repetition(text: str) -> Seen:
    """See one sentence or line again and again, in a row or over a third of the text."""
    prose = "\n".join(text.split("```")[::2]) if "```" in text else text
    parts = prose.replace("!", ".").replace("?", ".").replace("\n", ".").split(".")
    units = [part.strip() for part in parts if len(part) > _SHORT_UNIT]
    if len(units) < _IN_A_ROW or len(set(units)) == len(units):
        return NONE
    if row := _row(filter(None, map(str.strip, parts))):
        return 0.2, f"{_IN_A_ROW} times in a row {row[:MAX_SHOWN]!r}"
    long = [unit for unit in units if len(unit) > _LONG_UNIT]
    repeated = Counter(long)
    share = 1 - len(repeated) / max(len(long), 1)
    line, times = repeated.most_common(1)[0] if long else ("", 0)
    if times < _IN_A_ROW or share < 1 / 3:
        return NONE
    return max(0.8 - share, 0.1), f"{times} times {line[:MAX_SHOWN]!r}"


def unsupported_claim(text: str) -> Seen:
    """See a short text that says all is done and shows nothing."""
    if len(text) > _LONG_CLAIM:
        return NONE
    match = _CLAIM.search(_plain(text))
    if match is None or _SUBSTANCE.search(text):
        return NONE
    return 0.3, f'claims without anything to show: "{match[0]}"'


def _plain(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _any_in(hints: tuple[str, ...], text: str) -> bool:
    for hint in hints:  # noqa: SIM110 - three times as fast as any()
        if hint in text:
            return True
    return False


def _row(units: Iterable[str]) -> str:
    """Return the first unit that is not short and stands _IN_A_ROW times in a row."""
    length = 1
    for before, unit in pairwise(units):
        length = length + 1 if unit == before else 1
        if length == _IN_A_ROW and len(unit) > _SHORT_UNIT:
            return unit
    return ""


DETECTORS: dict[str, Callable[[str], Seen]] = {
    "refusal": refusal,
    "placeholders": placeholders,
    "repetition": repetition,
    "unsupported_claim": unsupported_claim,
}
"""The detectors that look at the text alone; `truncation` must know where it ends."""
