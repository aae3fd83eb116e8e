"""Runs a server until SIGTERM."""

import asyncio
import signal

import grpc.aio


async def serve(server: grpc.aio.Server, ports: int = 1, *also: str) -> None:
    """Listen on free ports of loopback, say which, `also` what else, and serve until SIGTERM."""
    addresses = [f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}" for _ in range(ports)]
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    await server.start()
    print("ready", *addresses, *also, flush=True)
    await stopped.wait()
    await server.stop(0)
