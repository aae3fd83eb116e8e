"""What terminals without Unicode show in the place of our ticks and bars: `?`, which
is what encoders fall back to, already means INCONCLUSIVE.
"""

import codecs

ERRORS = "consensus-glyphs"
"""The name of the error handler, for streams."""
_PLAIN = {"✓": "+", "✗": "x", "━": "#", "╌": "-", "•": "*", "“": '"', "”": '"', "…": "~", "─": "-"}


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(char, "?") for char in text), error.end


codecs.register_error(ERRORS, _plainer)
