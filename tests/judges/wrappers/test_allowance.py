"""Extra calls stay within their share, whatever comes when."""

from hypothesis import given
from hypothesis import strategies as st

from consensus.judges.wrappers.allowance import Allowance


@given(
    st.lists(st.booleans(), max_size=400),
    st.floats(0, 1),
    st.floats(0, 5),
)
def test_extra_calls_never_exceed_the_share_and_the_floor(
    wishes: list[bool], share: float, floor: float
) -> None:
    allowance = Allowance(share, floor)
    extra = 0
    for calls, wish in enumerate(wishes, 1):
        allowance.earn()
        extra += wish and allowance.spend()
        assert extra <= share * calls + floor + 1e-6


def test_rounding_takes_nothing_away() -> None:
    allowance = Allowance(0.05, 0.0)
    for _ in range(20):
        assert not allowance.spend()
        allowance.earn()
    assert allowance.spend()
    assert not allowance.spend()


def test_a_quiet_day_does_not_pay_for_a_storm() -> None:
    allowance = Allowance(0.2, 3.0)
    for _ in range(10_000):
        allowance.earn()
    assert sum(allowance.spend() for _ in range(100)) == 10
