"""HTTP/1.1 as a scripted model server speaks it: reads calls, sends answers whole or broken."""

import asyncio
import json

from consensus_client.testing.llm_answers import Broken, Dripping, Spoken, rendered
from consensus_client.testing.llm_calls import LlmCall


async def read_call(reader: asyncio.StreamReader) -> LlmCall | None:
    """Read one request; None where the caller has gone."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    first, *lines = head.rstrip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (s.partition(":") for s in lines)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    return LlmCall(first.split(" ")[1], headers, json.loads(data) if data else {})


async def gone(reader: asyncio.StreamReader, seconds: float | None) -> bool:
    """Wait `seconds`, or for ever; tells whether the caller hung up meanwhile."""
    try:
        return not await asyncio.wait_for(reader.read(1), seconds)
    except TimeoutError:
        return False


async def send(
    spoken: Spoken, call: LlmCall, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> bool:
    """Send an answer; tells whether the connection may be used again."""
    plain = spoken.answer if isinstance(spoken, Broken | Dripping) else spoken
    answer = rendered(plain, call)
    if isinstance(spoken, Broken) and not spoken.share:
        return False
    headers = {"Content-Type": "application/json", **answer.headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    length = f"Content-Length: {len(answer.body)}\r\n"
    head = f"HTTP/1.1 {answer.status} Scripted\r\n{lines}{length}\r\n".encode()
    match spoken:
        case Broken(share=share):
            writer.write(head + answer.body[: int(len(answer.body) * share)])
            await writer.drain()
            return False
        case Dripping(seconds=seconds, pieces=pieces):
            writer.write(head)
            step = max(len(answer.body) // pieces, 1)
            for start in range(0, len(answer.body), step):
                if await gone(reader, seconds / pieces):
                    return False
                writer.write(answer.body[start : start + step])
        case _:
            writer.write(head + answer.body)
    await writer.drain()
    return True
