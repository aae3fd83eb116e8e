"""The words of English texts, near enough: stems, stop words, and the passages they stand in."""

import functools
import re
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

MAX_QUOTE = 200
"""Longest passage that is quoted."""
MAX_PLACES = 16
"""A word that stands in more passages than this does not tell which of them to quote."""

_PASSAGE_END = re.compile(r"[.!?\n](?:(?<=\n)|(?=\s))\s*")
_BARE = re.compile(r"[^\W_]+")
_SEARCHED = 4_000
"""How far into a long passage its first shared word is looked for."""
_KNOWN_STEMS = 1 << 14
_KNOWN_CHARACTERS = 1 << 12
_NEGATIVE = frozenset(
    """avoid avoids cannot can't don't doesn't isn't mustn't neither never no none nor not shouldn't
    without""".split()  # noqa: SIM905 - a list literal would take a page
)
_STOP = frozenset(
    """a about all an and any are as at be been being but by can candidate could did do does each
    for from give gives had has have he her his how i if in into is it its just like made make
    makes may me mention mentions more most must my of on one or other our out over own says she
    should so some states such than that the their them then there these they this to too under up
    us use used uses using was we were what when where which while who whose why will with would
    you your answer response""".split()  # noqa: SIM905 - as above
)


class _Letters(dict[int, int]):
    """What becomes of each character: letters, digits and apostrophes stay, the rest is space."""

    def __missing__(self, code: int) -> int:
        found = code if chr(code).isalnum() or chr(code) == "'" else ord(" ")
        if len(self) < _KNOWN_CHARACTERS:
            self[code] = found
        return found


class _Stems(dict[str, str]):
    """Stems by word, worked out when first asked for."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _KNOWN_STEMS:
            self.clear()
        self[word] = found = stem(word.strip("'").removesuffix("'s"))
        return found


_LETTERS = _Letters({ord("\n"): ord("\n"), ord("\N{RIGHT SINGLE QUOTATION MARK}"): ord("'")})
_STEMS = _Stems()


def stem(word: str) -> str:
    """Cut the commonest English endings; enough for `ratings` to meet `rating`."""
    for ending in ("ings", "ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


class Wording(Struct, frozen=True):
    """What a criterion asks for, in words."""

    words: Mapping[str, str]
    """Content words by their stems."""
    negative: bool
    """Whether something must *not* be there, which no word can show."""


@functools.lru_cache(maxsize=512)
def wording(text: str) -> Wording:
    """Return the wording of a criterion's text; rubrics come again and again."""
    words = text.lower().translate(_LETTERS).split()
    content = {_STEMS[word]: word for word in words if word not in _STOP}
    return Wording(content, not _NEGATIVE.isdisjoint(words))


class Passages:
    """The sentences and lines of a text, and where in them the wanted stems stand."""

    def __init__(self, text: str, wanted: Iterable[str]) -> None:
        self._passages = _PASSAGE_END.split(text)
        self._places: dict[str, list[int]] = {}
        stem_of, wanted = _STEMS.__getitem__, frozenset(wanted)
        lines = "\n".join(self._passages).lower().translate(_LETTERS).split("\n")
        for number, line in enumerate(lines):  # no passage holds a line feed
            for found in wanted.intersection(map(stem_of, line.split())):
                places = self._places.setdefault(found, [])
                if len(places) < MAX_PLACES:
                    places.append(number)

    def __contains__(self, stem: str) -> bool:
        return stem in self._places

    def share(self, stems: Collection[str]) -> float:
        """Return the share of these stems that occur."""
        return sum(stem in self._places for stem in stems) / len(stems)

    def quote(self, stems: Iterable[str]) -> str:
        """Return the passage with the most of these stems, cut; empty where there is none."""
        shared: dict[int, int] = {}
        for found in stems:
            for number in self._places.get(found, ()):
                shared[number] = shared.get(number, 0) + 1
        if not shared:
            return ""
        passage = self._passages[max(shared, key=lambda number: (shared[number], -number))].strip()
        return passage if len(passage) <= MAX_QUOTE else _cut(passage, frozenset(stems))


def _cut(passage: str, stems: frozenset[str]) -> str:
    """Return a part of a long passage, from its first shared word on."""
    for word in _BARE.finditer(passage, 0, _SEARCHED):
        if _STEMS[word[0].lower()] in stems:
            return passage[word.start() : word.start() + MAX_QUOTE].strip()
    return passage[:MAX_QUOTE].strip()
