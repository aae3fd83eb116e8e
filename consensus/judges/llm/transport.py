"""One connection pool to one model server: bytes out, status and bounded bytes in."""

import asyncio
import io
from collections.abc import Mapping

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from consensus import __version__
from consensus.domain.gradient import FailureKind
from consensus.domain.judges import BackendSpec
from consensus.judges.llm.failures import BackendFailed
from consensus.judges.llm.keys import KeyFile

CONNECT_SECONDS = 3.0
KEEPALIVE_SECONDS = 60.0
MAX_REPLY_BYTES = 2 << 20
_STREAMED_BYTES = 1 << 20
"""From here on aiohttp wants a stream, so that writing does not hold up the loop."""

_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": f"consensus/{__version__}",
}

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers, body."""


class Transport:
    """Posts JSON to one address. Raises BackendFailed only, and says nothing of what it carried."""

    def __init__(
        self, spec: BackendSpec, path: str, key_header: tuple[str, str], headers: Mapping[str, str]
    ) -> None:
        """`key_header` is a name and what goes before the key. Must run inside the event loop."""
        self._url = URL(spec.base_url + path)
        self._keys = KeyFile(spec.api_key_file)
        self._key_name, self._key_prefix = key_header
        sent = CIMultiDict(_HEADERS)
        sent.update(headers)
        sent.update(spec.headers)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=spec.concurrency, keepalive_timeout=KEEPALIVE_SECONDS, ttl_dns_cache=30
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            # A packed reply could unfold into any size: none is asked for, none unpacked.
            auto_decompress=False,
            headers=sent,
        )

    async def post(self, body: bytes, timeout_seconds: float) -> Answer:
        """Send `body` once and return the answer. Raises BackendFailed."""
        if timeout_seconds <= 0:  # which aiohttp takes for no limit
            raise _late()
        try:
            self._take_new_key()
            return await self._post(body, timeout_seconds)
        except aiohttp.ConnectionTimeoutError:
            words = f"no connection within {CONNECT_SECONDS:g} s"
            raise BackendFailed(FailureKind.TIMEOUT, words, passing=True) from None
        except TimeoutError:
            raise _late() from None
        except aiohttp.ClientError as error:
            raise _broken(error) from None
        except (ValueError, OSError):  # a header or address that cannot be sent
            raise BackendFailed(FailureKind.ERROR, "the request cannot be sent") from None
        except RuntimeError:
            if not self._session.closed:
                raise
            raise _closed() from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise _closed() from None  # the pool was closed under a call: nobody cancelled us

    async def close(self) -> None:
        """Close every connection. Calls under way fail."""
        await self._session.close()

    def _take_new_key(self) -> None:
        key = self._keys.changed()
        if key is not None:
            self._session.headers[self._key_name] = self._key_prefix + key

    async def _post(self, body: bytes, timeout_seconds: float) -> Answer:
        response = await self._session.post(
            self._url,
            data=body if len(body) < _STREAMED_BYTES else io.BytesIO(body),
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(
                total=timeout_seconds,
                sock_connect=CONNECT_SECONDS,
                ceil_threshold=float("inf"),  # or it rounds up to whole seconds
            ),
        )
        try:
            return response.status, response.headers, await _bounded(response)
        finally:
            response.release()  # closes the connection unless all was read


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    content = response.content
    data = await content.readany()
    if content.at_eof() and len(data) <= MAX_REPLY_BYTES:
        return data
    parts, size = [data], len(data)
    while part := await content.readany():
        parts.append(part)
        size += len(part)
        if size > MAX_REPLY_BYTES:
            words = f"the reply is larger than {MAX_REPLY_BYTES} bytes"
            raise BackendFailed(FailureKind.UNREADABLE, words, status=response.status)
    return b"".join(parts)


def _broken(error: aiohttp.ClientError) -> BackendFailed:
    match error:
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return BackendFailed(FailureKind.ERROR, "its certificate or TLS is not accepted")
        case aiohttp.ClientConnectorError():
            return BackendFailed(FailureKind.ERROR, "it cannot be reached", passing=True)
        case aiohttp.ClientConnectionError() | aiohttp.ClientPayloadError():
            words = "the connection broke off"
            return BackendFailed(FailureKind.ERROR, words, passing=True, cut_off=True)
        case aiohttp.ClientResponseError():
            return BackendFailed(FailureKind.UNREADABLE, "the answer is not HTTP")
        case _:
            return BackendFailed(FailureKind.ERROR, "the request cannot be sent")


def _late() -> BackendFailed:
    return BackendFailed(FailureKind.TIMEOUT, "the backend did not answer in time", passing=True)


def _closed() -> BackendFailed:
    return BackendFailed(FailureKind.ERROR, "the connection is closed")
