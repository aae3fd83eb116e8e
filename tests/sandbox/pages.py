"""A web server on the loopback, for what fetches."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

TEXTS: dict[str, dict[str, Any]] = {
    "/paris": {"text": "Paris is the capital of France. Ça va."},
    "/london": {"text": "London is the capital of England."},
    "/latin1": {
        "body": "Ça va".encode("latin-1"),
        "headers": {"Content-Type": "text/plain; charset=latin-1"},
    },
    "/strange": {"body": b"Paris", "headers": {"Content-Type": "text/plain; charset=none"}},
    "/punycode": {
        "body": b"-" + b"b" * 1_000_000,
        "headers": {"Content-Type": "text/plain; charset=punycode"},
    },
    "/large": {"text": "Paris " * 1_000_000},
    "/picture": {"body": b"Paris", "content_type": "image/png"},
    "/packed": {
        "body": b"Paris",
        "headers": {"Content-Type": "text/plain", "Content-Encoding": "br"},
    },
}


class Pages:
    """A running site; knows which paths were asked for."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.asked: list[str] = []
        self.came, self.left = asyncio.Event(), asyncio.Event()
        """Set once a caller has come to `/slow`, and has gone away from it."""


@asynccontextmanager
async def pages() -> AsyncIterator[Pages]:
    """Serve a few pages on a free port."""
    site: Pages

    async def answer(request: web.Request) -> web.StreamResponse:
        site.asked.append(request.path)
        if request.path in TEXTS:
            return web.Response(**TEXTS[request.path])
        if request.path in ("/moved", "/round"):
            return web.Response(status=302, headers={"Location": request.query.get("to", "/round")})
        if request.path == "/slow":
            site.came.set()
            try:
                await asyncio.sleep(60)
            finally:
                site.left.set()
        raise web.HTTPNotFound

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_type = "text/plain"
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    app = web.Application()
    app.router.add_get("/endless", endless)
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site = Pages(runner.addresses[0][1])
        yield site
    finally:
        await runner.cleanup()
