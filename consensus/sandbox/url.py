"""URLs: each must answer with status 200, asked without leading a stranger into our network.

Only http and https, known ports, no credentials. A name is looked up once for each hop and every
address of it must be public; the connection goes to these addresses. No proxy and no cookie, no
decompression, a bounded part of a body, and redirects are looked over like any other URL.
"""

import asyncio
import codecs
import fnmatch
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from consensus import __version__
from consensus.domain.ports import Proof
from consensus.domain.sandbox import UrlRules
from consensus.domain.submission import UrlAnswer
from consensus.sandbox.addresses import Network, allowed, networks

MAX_URL = 2_000
CONNECT_SECONDS = 3.0
_LOOKUPS = 4
"""Names looked up at a time, in threads: one that hangs holds up no other work."""
_REDIRECTS = (301, 302, 303, 307, 308)
_TEXTUAL = ("text/", "application/json", "application/xml", "application/xhtml+xml")
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "unicode-escape", "utf-7")
"""Encodings of Python's that no page is written in; a megabyte of Punycode takes it minutes."""
_SHOWN = 120
_HEADERS = {
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "User-Agent": f"consensus/{__version__}",
}


class RefusedError(Exception):
    """A URL that is not asked, or whose answer does not do. Says why in plain words."""


class UrlProver:
    """Fetches URLs by rules."""

    def __init__(self, rules: UrlRules) -> None:
        """Open nothing yet. Must run inside the event loop."""
        self._rules = rules
        self._besides = networks(rules.allow_addresses)
        self._places = asyncio.Semaphore(rules.concurrency)
        self._session: aiohttp.ClientSession | None = None
        self._threads = ThreadPoolExecutor(_LOOKUPS, "sandbox-names")

    async def prove(self, check: UrlAnswer, urls: Sequence[str]) -> Proof:
        """Fetch every URL, side by side; nothing is left open when cancelled."""
        if len(urls) > self._rules.max_urls:
            words = f"the text has {len(urls)} URLs; at most {self._rules.max_urls} are looked at"
            return Proof(False, words)
        try:
            async with asyncio.timeout(self._rules.timeout_seconds), asyncio.TaskGroup() as group:
                asked = [group.create_task(self._fault(url, check.contains)) for url in urls]
        except TimeoutError:
            return Proof(False, f"no answer within {self._rules.timeout_seconds:g} s")
        faults = [
            f"{url[:_SHOWN]} {task.result()}"
            for url, task in zip(urls, asked, strict=True)
            if task.result()
        ]
        if faults:
            return Proof(False, "; ".join(faults))
        return Proof(True, f"{len(urls)} answered with 200", tuple(urls))

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _fault(self, url: str, contains: str) -> str:
        """Return what is wrong with a URL; empty where nothing is."""
        try:
            async with self._places:
                await self._fetch(url, contains)
        except RefusedError as error:
            return str(error)
        return ""

    async def _fetch(self, written: str, contains: str) -> None:
        """Follow a URL to its end. Raises RefusedError."""
        if len(written) > MAX_URL:
            raise RefusedError(f"has more than {MAX_URL} characters")
        try:
            url = URL(written)
            for _ in range(self._rules.max_redirects + 1):
                self._require_allowed(url)
                async with self._opened().get(url, allow_redirects=False) as response:
                    if response.status not in _REDIRECTS:
                        await self._require_answer(response, contains)
                        return
                    url = url.join(URL(response.headers.get("Location", "")))
        except _NotPublicError:
            raise RefusedError("leads to an address that is not public") from None
        except (aiohttp.ClientError, OSError, ValueError, asyncio.IncompleteReadError) as error:
            if isinstance(error.__cause__, _NotPublicError):
                raise RefusedError("leads to an address that is not public") from None
            raise RefusedError("cannot be reached") from None
        raise RefusedError(f"redirects more than {self._rules.max_redirects} times")

    def _require_allowed(self, url: URL) -> None:
        if url.scheme not in ("http", "https") or not url.host:
            raise RefusedError("is no http or https URL")
        if url.user is not None or url.password is not None:
            raise RefusedError("has credentials")
        if url.port not in self._rules.ports:
            raise RefusedError(f"asks for port {url.port}")
        host = url.host.rstrip(".").lower()
        hosts = self._rules.hosts
        if hosts and not any(fnmatch.fnmatchcase(host, pattern) for pattern in hosts):
            raise RefusedError("is of a host that is not allowed")
        if _literal(host) and not allowed(host, self._besides):
            raise RefusedError("leads to an address that is not public")

    async def _require_answer(self, response: aiohttp.ClientResponse, contains: str) -> None:
        if response.status != HTTPStatus.OK:
            raise RefusedError(f"answers with status {response.status}")
        if not contains:
            return
        if not response.content_type.startswith(_TEXTUAL):
            raise RefusedError("answers with something else than text")
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise RefusedError("answers with packed text")
        body = b""
        while part := await response.content.readany():
            body += part
            if len(body) > self._rules.max_bytes:
                raise RefusedError(f"answers with more than {self._rules.max_bytes} bytes")
        if contains.encode() not in body and contains not in _decoded(body, response.charset):
            raise RefusedError("does not answer with the expected text")

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_Vetting(self._besides, self._threads),
                    use_dns_cache=False,  # a name is vetted each time that it is looked up
                    force_close=True,
                    limit=0,
                    socket_factory=self._socket,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # a packed answer could unfold into any size
                headers=_HEADERS,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                trust_env=False,
            )
        return self._session

    def _socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Make the socket of a connection; the last look at where it goes."""
        family, kind, protocol, _, address = info
        if not allowed(address[0], self._besides):
            raise _NotPublicError
        made = socket.socket(family, kind, protocol)
        made.setblocking(False)
        return made


class _NotPublicError(OSError):
    """An address that may not be asked."""


class _Vetting(AbstractResolver):
    """A resolver that refuses a name with any address that is not allowed."""

    def __init__(self, besides: Sequence[Network], threads: ThreadPoolExecutor) -> None:
        self._besides = besides
        self._threads = threads

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Look a name up. Raises OSError."""
        look_up = asyncio.get_running_loop().run_in_executor
        found = await look_up(self._threads, _look_up, host, port, family)
        addresses = [str(address[0]) for *_, address in found]
        if not all(allowed(address, self._besides) for address in addresses):
            raise _NotPublicError
        return [
            ResolveResult(
                hostname=host,
                host=str(address[0]),
                port=int(address[1]),
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in found
        ]

    async def close(self) -> None:
        """Close nothing: the threads are the prover's."""


def _look_up(host: str, port: int, family: socket.AddressFamily) -> list[Any]:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)


def _literal(host: str) -> bool:
    """Tell whether a host is written as an address; a name never holds a colon."""
    return ":" in host or not any(character.isalpha() for character in host)


def _decoded(body: bytes, charset: str | None) -> str:
    try:
        if codecs.lookup(charset or "utf-8").name in _NO_CHARSETS:
            return ""
        return body.decode(charset or "utf-8", "replace")
    except LookupError:
        return ""
