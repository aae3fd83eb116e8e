"""How long a model server asks to be left alone, in all the ways in which servers say it."""

import datetime
import email.utils
import re
from collections.abc import Mapping

_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MOST_SECONDS = 7 * 86400.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the server asks to be left alone; None where it does not say.

    Reads `retry-after-ms`, `retry-after` (seconds or a date), then `x-ratelimit-reset-*` of
    the limits of which nothing remains.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    told = headers.get("retry-after", "")
    seconds = _number(told)
    if seconds is None and told:
        seconds = _until(told)
    if seconds is not None:
        return seconds
    waits = [
        _duration(headers.get(f"x-ratelimit-reset-{what}", ""))
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}", "").strip() == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _number(words: str) -> float | None:
    """Return a number of seconds or milliseconds, however large a rest it asks for; Azure sends -1
    for unknown.
    """
    try:
        number = float(words)
    except ValueError:
        return None
    return min(number, _MOST_SECONDS * 1000) if number >= 0 else None


def _until(date: str) -> float | None:
    try:
        then = email.utils.parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=datetime.UTC)
    seconds = (then - datetime.datetime.now(datetime.UTC)).total_seconds()
    return min(max(seconds, 0.0), _MOST_SECONDS)


def _duration(words: str) -> float | None:
    """Return the seconds of `6m0s`, `17ms` or `3`."""
    parts = _DURATION.findall(words)
    if not parts or "".join(number + unit for number, unit in parts) != words:
        return _number(words)
    return min(sum(float(number) * _SECONDS[unit] for number, unit in parts), _MOST_SECONDS)
