"""How long a server asks to be left alone, in all the ways in which servers say it."""

import datetime
import email.utils

import pytest
from consensus_client.testing import http_error
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from consensus.judges.llm.retry_after import retry_after
from tests.judges.llm_http.asking import failure_of

NAMES = [
    "Retry-After",
    "Retry-After-Ms",
    *(f"X-RateLimit-{a}-{b}" for a in ("Remaining", "Reset") for b in ("Requests", "Tokens")),
]
MOST = 7 * 86_400.0 * 1_000


def spent(what: str, reset: str, left: str = "0") -> dict[str, str]:
    return {f"x-ratelimit-remaining-{what}": left, f"x-ratelimit-reset-{what}": reset}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e99"}, MOST),
        ({"Retry-After-Ms": "1e99"}, MOST / 1_000),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
        ({"Retry-After": "2", "Retry-After-Ms": "1500"}, 1.5),
        ({"Retry-After-Ms": "-1", "Retry-After": "2"}, 2.0),
        (spent("requests", "17ms"), 0.017),
        (spent("tokens", "6m0.5s"), 360.5),
        (spent("tokens", "3"), 3.0),
        (spent("tokens", "3 sheep"), None),
        ({**spent("tokens", "1s"), **spent("requests", "2s")}, 2.0),
        (spent("tokens", "1s", left="9"), None),
        ({"Retry-After": "4", **spent("requests", "2s")}, 4.0),
    ],
)
async def test_headers_say_when(headers: dict[str, str], seconds: float | None) -> None:
    assert (await failure_of(http_error(429, headers=headers))).retry_after_seconds == seconds


def test_a_date_to_come_is_so_many_seconds_away() -> None:
    then = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)
    seconds = retry_after({"retry-after": email.utils.format_datetime(then, usegmt=True)})
    assert seconds is not None
    assert 3_500 < seconds <= 3_600


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_what_does_not_pass_is_not_waited_for(status: int) -> None:
    failed = await failure_of(http_error(status, retry_after="2"))
    assert (failed.passing, failed.retry_after_seconds) == (False, None)


async def test_a_spent_quota_is_not_waited_for() -> None:
    failed = await failure_of(http_error(429, "insufficient_quota", retry_after="2"))
    assert (failed.passing, failed.retry_after_seconds) == (False, None)


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=20) | st.from_regex(r"\d+m?s?")))
def test_no_header_makes_reading_it_fail(headers: dict[str, str]) -> None:
    seconds = retry_after(CIMultiDict(headers))
    assert seconds is None or 0 <= seconds <= 7 * 86_400 * 1_000
