"""Finds policies that would judge for themselves, or nest deeper than decisions may.

A policy that seats a judge of kind `policy` asks the policy that this judge is. One walk in depth
finds every seat that leads back to a policy on the way to it, and how deep each policy nests.
"""

from collections.abc import Iterator

from msgspec import Struct

from consensus.config.positions import Path
from consensus.domain.decision import MAX_DEPTH
from consensus.domain.policy import PolicySet

MAX_SHOWN = 12
"""Most policies of a chain that a message names."""


class _Nested(Struct, frozen=True):
    """A seat whose judge is a policy of the file."""

    path: Path
    judge: str
    policy: str


class _Walk:
    """One walk in depth over all policies, without recursion: a file may hold thousands."""

    def __init__(self, rules: PolicySet) -> None:
        self._rules = rules
        self.levels: dict[str, int] = {}
        """How many policies nest below each policy, cycles left out."""
        self.below: dict[str, str] = {}
        """The first policy of the deepest chain below each policy that asks one."""

    def cycles(self) -> Iterator[tuple[Path, str]]:
        """Walk, and yield (path, what is wrong) for every seat that leads back."""
        for start in self._rules.policies:
            if start not in self.levels:
                yield from self._from(start)

    def _from(self, start: str) -> Iterator[tuple[Path, str]]:
        way = {start: iter(_nested(self._rules, start))}
        self.levels[start] = 0
        while way:
            policy = next(reversed(way))
            seat = next(way[policy], None)
            if seat is None:
                del way[policy]
                if way:
                    self._note(next(reversed(way)), policy)
            elif seat.policy in way:
                names = list(way)
                circle = _chain([*names[names.index(seat.policy) :], seat.policy])
                words = f"is {seat.judge!r}, which makes a policy judge for itself: {circle}"
                yield seat.path, words
            elif seat.policy in self.levels:
                self._note(policy, seat.policy)
            else:
                self.levels[seat.policy] = 0
                way[seat.policy] = iter(_nested(self._rules, seat.policy))

    def _note(self, policy: str, nested: str) -> None:
        if self.levels[nested] >= self.levels[policy]:
            self.levels[policy] = self.levels[nested] + 1
            self.below[policy] = nested


def nesting_faults(rules: PolicySet) -> Iterator[tuple[Path, str]]:
    """Yield (path of a seat, what is wrong) for every cycle and every chain that is too deep."""
    walk = _Walk(rules)
    yield from walk.cycles()
    for policy, levels in walk.levels.items():
        if levels <= MAX_DEPTH:
            continue
        for seat in _nested(rules, policy):
            if walk.levels[seat.policy] >= MAX_DEPTH:
                names = [policy, seat.policy]
                while names[-1] in walk.below:
                    names.append(walk.below[names[-1]])
                words = f"nests policies deeper than {MAX_DEPTH} levels: {_chain(names)}"
                yield seat.path, f"is {seat.judge!r}, which {words}"


def _nested(rules: PolicySet, policy: str) -> Iterator[_Nested]:
    for index, stage in enumerate(rules.policies[policy].stages):
        for place, seat in enumerate(stage.panel.seats if stage.panel else ()):
            spec = rules.judges.get(seat.judge)
            if spec is not None and spec.policy in rules.policies:
                path = ("policies", policy, "stages", index, "panel", "seats", place, "judge")
                yield _Nested(path, seat.judge, spec.policy)


def _chain(names: list[str]) -> str:
    """Return a chain in words, cut in the middle where it is long."""
    if len(names) > MAX_SHOWN:
        names = [*names[: MAX_SHOWN - 1], "…", names[-1]]
    return " > ".join(names)
