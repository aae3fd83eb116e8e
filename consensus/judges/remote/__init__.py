"""Judges behind gRPC: anything that serves `consensus.v1.JudgeService`, in any language.

`judge` is the judge that a panel sees; `backend` is what judges of one target share: a connection
(`connection`, `credentials`) and the batches that calls travel in (`batching`, `framing`). A status
other than OK fails the seat, with its kind (`failures`); the reason names the status and never
repeats the backend's text, which may hold judged content. `describe` asks what a judge is, for
`check --live`; it judges nothing, so there the backend's own words are told to the person who asks.
"""

from consensus.judges.remote.backend import Backends
from consensus.judges.remote.judge import RemoteJudge

__all__ = ["Backends", "RemoteJudge"]
