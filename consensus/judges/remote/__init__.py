"""Judges behind gRPC: anything that serves `consensus.v1.JudgeService`, in any language.

`judge` is the judge that a panel sees; `backend` is what judges of one target share: a connection
(`connection`, `credentials`) and the batches that calls travel in (`batching`, `framing`). A status
other than OK fails the seat, with its kind (`failures`); the reason names the status and never
repeats the backend's text, which may hold judged content.
"""

from consensus.judges.remote.backend import Backends
from consensus.judges.remote.judge import RemoteJudge

__all__ = ["Backends", "RemoteJudge"]
