"""Finds phrases in what a worker says, however it writes its apostrophes and white space."""

_CONTRACTIONS = (("can't", "cannot"), ("can not", "cannot"), ("won't", "will not"), ("i'm", "i am"))


def plain(text: str) -> str:
    """Return the text in lower case, without contractions, white space evened out."""
    lower = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    lower = " ".join(lower.split())
    for short, long in _CONTRACTIONS:
        lower = lower.replace(short, long)
    return lower


def found(phrases: tuple[str, ...], text: str) -> str:
    """Return the first phrase that stands in the text; empty where none does."""
    if not phrases:
        return ""
    lower = plain(text)
    return next((phrase for phrase in phrases if phrase in lower), "")
