"""Money: what a panel could cost is reserved before it is asked, what it did cost is settled after.

Sums are whole nano-dollars, so that nothing is lost to rounding. An unknown cost is never nothing:
a judge without a price is not asked under a limit, and a call that was cut off before it told what
it used counts as all that was reserved for it.

What each seat may cost is worked out first, and may take a while; looking what is left and taking
it is one step after that, without an await, so that decisions under way cannot overspend together.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from consensus.cascade.budget import Budget
from consensus.cascade.costing import worst_costs
from consensus.cascade.tally import Slots
from consensus.domain.decision import SeatResult, SeatStatus
from consensus.domain.errors import SpendLimitReached
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Failure, FailureKind, Usage
from consensus.domain.policy import Policy
from consensus.domain.ports import Clock, Judge

MINUTE_SECONDS = 60.0
WINDOW_MINUTES = 60


class Purse:
    """Money for one request, in nano-dollars. Never reserves beyond its limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._reserved = 0
        self._spent = 0

    @property
    def left(self) -> int:
        """What is neither spent nor reserved, at least 0."""
        return max(self.limit - self._taken(), 0)

    def reserve(self, amount: int) -> bool:
        """Set `amount` aside, at least 0; tell whether it was left. Nothing is always left."""
        if amount > self.left:
            return False
        self._reserved += amount
        return True

    def settle(self, reserved: int, used: int) -> None:
        """Replace what was reserved by what was used, which may be more."""
        self._reserved -= reserved
        self._spend(used)

    def _taken(self) -> int:
        return self._spent + self._reserved

    def _spend(self, amount: int) -> None:
        self._spent += amount


class HourlyPurse(Purse):
    """Money for any 60 minutes, kept by the minute."""

    def __init__(self, clock: Clock, limit: int) -> None:
        super().__init__(limit)
        self._clock = clock
        self._minutes: deque[tuple[int, int]] = deque()

    def _taken(self) -> int:
        now = self._minute()
        # What was spent at the end of its minute is an hour old one minute later.
        while self._minutes and self._minutes[0][0] < now - WINDOW_MINUTES:
            self._spent -= self._minutes.popleft()[1]
        return super()._taken()

    def _spend(self, amount: int) -> None:
        super()._spend(amount)
        now = self._minute()
        if self._minutes and self._minutes[-1][0] == now:
            amount += self._minutes.pop()[1]
        self._minutes.append((now, amount))

    def _minute(self) -> int:
        return int(self._clock.monotonic() // MINUTE_SECONDS)


class Reservation(Struct):
    """What is set aside for judges, in nano-dollars, by their place in the panel."""

    amounts: dict[int, int] = field(default_factory=dict)
    refused: dict[int, Failure] = field(default_factory=dict)
    """Judges that could cost more than is left, or nobody knows how much: not to be asked."""


class Spending:
    """The purses that one decision pays from."""

    def __init__(self, policy: str, request: Purse | None, hour: Purse | None) -> None:
        self._policy = policy
        self._request = request
        self._hour = hour

    async def reserve(
        self, judges: Sequence[Judge], given: Callable[[Judge], Evaluation], budget: Budget
    ) -> Reservation:
        """Set aside what each judge may cost for what it is given. Raises SpendLimitReached where
        the policy's hour does not have it; a judge that the request cannot pay is refused, and so
        is one whose cost is not known within a part of the budget. A caller that goes away
        meanwhile leaves nothing reserved.
        """
        return self.take(await worst_costs(judges, given, budget))

    def take(self, costs: Sequence[float | Failure]) -> Reservation:
        """Set aside what each judge may cost, as `reserve` does."""
        made = Reservation()
        for index, worst in enumerate(costs):
            if isinstance(worst, Failure):
                made.refused[index] = worst
            elif self._request is None or self._request.reserve(nanos(worst)):
                made.amounts[index] = nanos(worst)
            else:
                made.refused[index] = _too_dear(nanos(worst), self._request)
        total = sum(made.amounts.values())
        if self._hour is not None and not self._hour.reserve(total):  # ends the request
            raise _hour_spent(self._policy, total, self._hour)
        return made

    def settle(self, made: Reservation, costs: Mapping[int, float | None]) -> None:
        """Replace a reservation by what was used; None is all that was reserved."""
        used = 0
        for index, amount in made.amounts.items():
            cost = costs.get(index, 0.0)
            used += amount if cost is None else nanos(cost)
        total = sum(made.amounts.values())
        for purse in (self._request, self._hour):
            if purse is not None:
                purse.settle(total, used)


class Purses:
    """The hourly purse of every policy that has a limit, kept from request to request."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hours: dict[str, HourlyPurse] = {}

    def open(self, policy: Policy, max_cost_usd: float | None) -> Spending | None:
        """Return what a decision of `policy` pays from; None where nothing limits it."""
        limits = policy.spend
        if max_cost_usd is None and limits.per_request_usd is None and limits.per_hour_usd is None:
            return None
        most = [usd for usd in (max_cost_usd, limits.per_request_usd) if usd is not None]
        request = Purse(nanos(min(most))) if most else None
        hour = limits.per_hour_usd
        purse = None if hour is None else self._hour(policy.name, nanos(hour))
        return Spending(policy.name, request, purse)

    def _hour(self, policy: str, limit: int) -> HourlyPurse:
        found = self._hours.get(policy)
        if found is None:
            found = self._hours[policy] = HourlyPurse(self._clock, limit)
        found.limit = limit  # a reload may have changed it
        return found


def costs_of(slots: Slots) -> dict[int, float | None]:
    """Return what each seat that was asked has cost; None where it was cut off or does not tell."""
    return {
        index: cost(slot.usage, cut_off=_cut_off(slot))
        for index, slot in enumerate(slots)
        if slot is not None
    }


def cost(usage: Usage | None, *, cut_off: bool) -> float | None:
    """Return the cost of `usage`; without one a call that ended cost nothing."""
    if usage is not None:
        return usage.cost_usd
    return None if cut_off else 0.0


def _cut_off(seat: SeatResult) -> bool:
    late = isinstance(seat.answer, Failure) and seat.answer.kind is FailureKind.TIMEOUT
    return seat.attempts > 0 and (late or seat.status is SeatStatus.SKIPPED)


def _too_dear(worst: int, purse: Purse) -> Failure:
    words = (
        f"could cost {_dollars(worst)}, and {_dollars(purse.left)} of the request's"
        f" {_dollars(purse.limit)} are left"
    )
    return Failure(FailureKind.SPEND_LIMIT, words)


def _hour_spent(policy: str, worst: int, purse: Purse) -> SpendLimitReached:
    facts = {
        "policy": policy,
        "could_cost": _dollars(worst),
        "left": _dollars(purse.left),
        "limit": _dollars(purse.limit),
    }
    words = (
        f"policy {policy!r} could cost {facts['could_cost']}, and {facts['left']} of its"
        f" {facts['limit']} an hour are left"
    )
    return SpendLimitReached(words, facts)


def _dollars(amount: int) -> str:
    """Return nano-dollars as people write money, to six decimals where it needs them."""
    return f"${amount / 1e9:.6f}".rstrip("0").rstrip(".")


def nanos(usd: float) -> int:
    """Return whole nano-dollars."""
    return round(usd * 1e9)
