"""An OpenAI-compatible model server on several ports: every call gets the same sound verdict.

    python -m benchmarks.servers.model_server PORTS SECONDS

SECONDS is how long each call takes; 0 answers at once.
"""

import asyncio
import json
import signal
import sys

from aiohttp import web

from benchmarks.workload import CANDIDATE, CRITERIA

_VERDICT = {
    "findings": [
        {
            "criterion_id": f"C{number}",
            "requirement": text,
            "evidence": [
                {"message_index": None, "quote": CANDIDATE[20 * number : 20 * number + 60]}
            ],
            "reasoning": "The candidate says so in as many words.",
            "status": "MET",
        }
        for number, text in enumerate(CRITERIA, 1)
    ],
    "reasoning": "Every criterion is met, and nothing beside the point is said.",
    "abstain": False,
    "score": 0.85,
    "confidence": 0.8,
}
_MESSAGE = {"role": "assistant", "content": json.dumps(_VERDICT)}
_COMPLETION = {
    "id": "chatcmpl-0",
    "object": "chat.completion",
    "created": 0,
    "model": "model",
    "choices": [{"index": 0, "message": _MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1_400, "completion_tokens": 230, "total_tokens": 1_630},
}
_BODY = json.dumps(_COMPLETION).encode()


async def main(ports: int, seconds: float) -> None:
    """Serve until SIGTERM."""

    async def answer(request: web.BaseRequest) -> web.Response:
        await request.read()
        if seconds:
            await asyncio.sleep(seconds)
        return web.Response(body=_BODY, content_type="application/json")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    sites = [web.TCPSite(runner, "127.0.0.1", 0, backlog=4_096) for _ in range(ports)]
    for site in sites:
        await site.start()
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    print("ready", *(f"127.0.0.1:{port}" for _, port in runner.addresses), flush=True)
    await stopped.wait()


if __name__ == "__main__":
    _, count, length = sys.argv
    asyncio.run(main(int(count), float(length)))
