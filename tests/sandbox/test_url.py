"""URLs: what answers holds; nobody is led into the server's own network."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from consensus.domain.ports import Proof
from consensus.domain.sandbox import UrlRules
from consensus.domain.submission import UrlAnswer
from consensus.sandbox import url as module
from consensus.sandbox.url import UrlProver
from tests.sandbox.pages import Pages, pages

LOOPBACK = ("127.0.0.1/32",)


@pytest.fixture(scope="module")
async def site() -> AsyncIterator[Pages]:
    async with pages() as running:
        yield running


async def proof(site: Pages, *urls: str, contains: str = "", **rules: Any) -> Proof:
    """Fetch URLs, `/paths` of the site among them."""
    given = {"ports": (80, 443, site.port), "allow_addresses": LOOPBACK, "timeout_seconds": 5.0}
    prover = UrlProver(UrlRules(**given | rules))
    try:
        whole = [site.url + url if url.startswith("/") else url for url in urls]
        return await prover.prove(UrlAnswer(contains), whole)
    finally:
        await prover.close()


@pytest.mark.parametrize(
    ("paths", "contains"),
    [
        (("/paris",), ""),
        (("/paris",), "capital of France"),
        (("/paris", "/london"), "capital"),
        (("/moved?to=/paris",), "Ça va"),
        (("/latin1",), "Ça va"),
        (("/strange",), "Paris"),
        (("/picture",), ""),
        (("/endless",), ""),
    ],
)
async def test_what_answers_holds(site: Pages, paths: tuple[str, ...], contains: str) -> None:
    found = await proof(site, *paths, contains=contains)
    assert found.passed, found.message
    assert found.quotes == tuple(site.url + path for path in paths)


@pytest.mark.parametrize(
    ("paths", "contains", "seen"),
    [
        (("/nowhere",), "", "answers with status 404"),
        (("/paris", "/nowhere"), "", "/nowhere answers with status 404"),
        (("/london",), "Paris", "does not answer with the expected text"),
        (("/large",), "London", "answers with more than 1048576 bytes"),
        (("/endless",), "London", "answers with more than 1048576 bytes"),
        (("/picture",), "Paris", "answers with something else than text"),
        (("/packed",), "Paris", "answers with packed text"),
        (("/strange",), "Ça", "does not answer with the expected text"),
        (("/punycode",), "Ça", "does not answer with the expected text"),
        (("/round",), "", "redirects more than 3 times"),
        (("/paris",) * 6, "", "has 6 URLs; at most 5"),
    ],
)
async def test_what_does_not_answer_so_does_not_hold(
    site: Pages, paths: tuple[str, ...], contains: str, seen: str
) -> None:
    found = await proof(site, *paths, contains=contains)
    assert not found.passed
    assert seen in found.message


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("http://user:secret@example.org/", "has credentials"),
        ("http://user@example.org/", "has credentials"),
        ("ftp://example.org/", "is no http or https URL"),
        ("http://example.org:22/", "asks for port 22"),
        ("http://example.org:99999/", "cannot be reached"),
        ("http://[", "cannot be reached"),
        ("http://10.0.0.1/", "not public"),
        ("http://169.254.169.254/latest/meta-data/", "not public"),
        ("http://[::1]/", "not public"),
        ("http://[::ffff:10.0.0.1]/", "not public"),
        ("http://2130706433/", "not public"),
        ("http://127.1/", "not public"),
        ("http://0/", "not public"),
        ("http://10.0.0.1./", "not public"),
        (f"http://example.org/{'x' * 2_000}", "has more than 2000 characters"),
    ],
)
async def test_a_url_that_leads_nowhere_good_is_not_asked(site: Pages, url: str, seen: str) -> None:
    for written in (url, f"{site.url}/moved?to={url}"):
        found = await proof(site, written)
        assert not found.passed
        assert seen in found.message or len(written) > 2_000


@pytest.mark.parametrize(
    ("addresses", "allow"),
    [
        (["127.0.0.1"], ()),
        (["93.184.215.14", "127.0.0.1"], ()),
        (["::1"], LOOPBACK),
        (["64:ff9b::7f00:1"], ()),
    ],
    ids=["loopback", "one of two", "another loopback", "NAT64"],
)
async def test_a_name_that_leads_into_the_network_is_refused(
    site: Pages, monkeypatch: pytest.MonkeyPatch, addresses: list[str], allow: tuple[str, ...]
) -> None:
    asked = len(site.asked)

    def look_up(host: str, port: int, family: int) -> list[Any]:
        return [(2, 1, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(module, "_look_up", look_up)
    found = await proof(site, f"http://rebound.example:{site.port}/paris", allow_addresses=allow)
    assert not found.passed
    assert "leads to an address that is not public" in found.message
    assert len(site.asked) == asked


async def test_a_name_is_looked_up_once_and_its_address_is_the_one_that_is_asked(
    site: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def look_up(host: str, port: int, family: int) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1" if len(asked) == 1 else "10.0.0.1", port))]

    monkeypatch.setattr(module, "_look_up", look_up)
    found = await proof(site, f"http://rebound.example:{site.port}/paris")
    assert found.passed
    assert asked == ["rebound.example"]
    moved = f"http://rebound.example:{site.port}/moved?to=http://rebound.example:{site.port}/paris"
    assert not (await proof(site, moved)).passed, "each hop is looked up and vetted anew"


async def test_a_proxy_of_the_surroundings_is_not_used(
    site: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert (await proof(site, "/paris")).passed


@pytest.mark.parametrize(
    ("hosts", "allowed"),
    [(("127.0.0.1",), True), (("example.org", "*.0.0.1"), True), (("example.org",), False)],
)
async def test_only_the_hosts_that_are_named_are_asked(
    site: Pages, hosts: tuple[str, ...], allowed: bool
) -> None:
    found = await proof(site, "/paris", hosts=hosts)
    assert found.passed is allowed
    assert allowed or "is of a host that is not allowed" in found.message


async def test_what_does_not_answer_in_time_does_not_hold(site: Pages) -> None:
    found = await proof(site, "/slow", timeout_seconds=0.05)
    assert (found.passed, found.message) == (False, "no answer within 0.05 s")


async def test_nothing_is_left_open_when_cancelled(site: Pages) -> None:
    site.came.clear()
    site.left.clear()
    task = asyncio.create_task(proof(site, "/slow", timeout_seconds=60.0))
    async with asyncio.timeout(10):
        await site.came.wait()
        task.cancel()
        await site.left.wait()
    assert task.cancelled() or task.cancelling()


async def test_a_site_that_is_down_does_not_hold(site: Pages) -> None:
    found = await proof(site, "http://127.0.0.1:1/", ports=(1,))
    assert (found.passed, found.message) == (False, "http://127.0.0.1:1/ cannot be reached")
