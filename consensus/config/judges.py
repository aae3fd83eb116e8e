"""Builds judges and backends out of their sections, and finds keys of another kind of judge."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from urllib.parse import urlsplit

from consensus.config.bench import (
    BackendSection,
    JudgeSection,
    LlmKeys,
    RemoteKeys,
    TlsSection,
)
from consensus.config.beside import content
from consensus.config.faults import Faults
from consensus.config.habits import HabitKeys
from consensus.config.models import discovery_of, model_faults
from consensus.config.nodes import MAX_BYTES
from consensus.config.positions import Path
from consensus.config.shape import allowed, node_at, suggestion
from consensus.config.tls import tls_faults
from consensus.domain.judges import (
    BackendSpec,
    BatchLimits,
    BreakerHabit,
    CacheHabit,
    Capabilities,
    Habits,
    HedgeHabit,
    JudgeSpec,
    LimitHabit,
    LlmSpec,
    Price,
    ProsePattern,
    RetryHabit,
)
from consensus.domain.ports import CheckFaults

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_FRAMING = frozenset(
    ("accept-encoding", "content-encoding", "content-length", "expect", "transfer-encoding")
)
"""Headers that say how a message is carried: with another value no call could be made."""
_REMOTE, _LLM = tuple(RemoteKeys.model_fields), tuple(LlmKeys.model_fields)
_KEYS = {
    "remote": _REMOTE,
    "consensus": _REMOTE,
    "llm": _LLM,
    "policy": ("policy",),
}
"""Keys of each kind of judge beside its habits."""
_REQUIRED = {
    "remote": ("target",),
    "consensus": ("target",),
    "llm": ("backend", "model"),
    "policy": ("policy",),
}


class BenchBuilder:
    """Builds judges that may name these backends and policies."""

    def __init__(
        self,
        folder: FilePath,
        backends: Mapping[str, BackendSection],
        policies: Mapping[str, object],
        check_faults: CheckFaults,
        faults: Faults,
    ) -> None:
        """`folder` is what file names are relative to."""
        self._folder = folder
        self._backends = backends
        self._policies = policies
        self._check_faults = check_faults
        self._faults = faults
        self.beside: list[str] = []
        """Files whose content is part of the policy file."""

    def judge(self, name: str, section: JudgeSection) -> JudgeSpec:
        """Build one judge."""
        path: Path = ("judges", name)
        self._require_keys(section, path)
        self._require_known("backend", section.backend, self._backends, path)
        self._require_known("policy", section.policy, self._policies, path)
        self._faults.add_fields(path, _habit_faults(section))
        tls = section.tls
        judge = JudgeSpec(
            name=name,
            kind=section.kind,
            target=section.target or "",
            remote_judge=section.judge,
            tls=tls is not None,
            tls_ca_file=self._file(tls.ca_file, (*path, "tls", "ca_file")) if tls else "",
            tls_server_name=tls.server_name if tls else "",
            tls_cert_file=self._file(tls.cert_file, (*path, "tls", "cert_file")) if tls else "",
            tls_key_file=self._key_file(tls, path) if tls else "",
            batch=BatchLimits(**section.batch.model_dump()),
            health_check=section.health_check,
            policy=section.policy or "",
            llm=self._llm(section, path) if section.kind == "llm" else None,
            habits=_habits(section),
        )
        files = (judge.tls_ca_file, judge.tls_cert_file, judge.tls_key_file)
        if all(map(_is_file, filter(None, files))):
            self._faults.add_fields(path, tls_faults(judge))
        return judge

    def backend(self, name: str, section: BackendSection) -> BackendSpec:
        """Build one backend."""
        path: Path = ("backends", name)
        if not _base_url(section.base_url):
            said = "holds a user or key" if "@" in section.base_url else f"is {section.base_url!r}"
            words = f"{said}; must be http://HOST/PATH or https://HOST/PATH"
            self._faults.add((*path, "base_url"), words)
        for header, value in section.headers.items():
            if not (_HEADER.fullmatch(header) and value.isascii() and value.isprintable()):
                self._faults.add((*path, "headers", header), "cannot stand in an HTTP header")
            elif header.lower() in _FRAMING:
                self._faults.add((*path, "headers", header), "is set by the server itself")
        return BackendSpec(
            name=name,
            kind=section.kind,
            base_url=section.base_url.rstrip("/"),
            api_key_file=self._file(section.api_key_file, (*path, "api_key_file")),
            headers=section.headers,
            capabilities=Capabilities(**section.capabilities.model_dump()),
            concurrency=section.concurrency,
            prices={model: Price(**price.model_dump()) for model, price in section.prices.items()},
            price_version=section.price_version,
        )

    def _require_keys(self, section: JudgeSection, path: Path) -> None:
        mine = ("kind", *_KEYS[section.kind], *HabitKeys.model_fields)
        for key in sorted(section.model_fields_set - set(mine)):
            words = f"has no meaning for kind {section.kind}; its keys are {', '.join(mine)}"
            self._faults.add((*path, key), words)
        for key in _REQUIRED[section.kind]:
            if getattr(section, key) is None:
                self._faults.add(
                    (*path, key), f"is missing; must be {allowed(node_at((*path, key)))}"
                )

    def _require_known(
        self, key: str, name: str | None, known: Mapping[str, object], path: Path
    ) -> None:
        if name is not None and name not in known:
            names = ", ".join(known) or "there, and none is"
            words = f"is {name!r}; must be one of {names}{suggestion(name, known)}"
            self._faults.add((*path, key), words)

    def _key_file(self, tls: TlsSection, path: Path) -> str:
        if bool(tls.cert_file) != bool(tls.key_file):
            self._faults.add((*path, "tls"), "has one of cert_file and key_file; must have both")
        return self._file(tls.key_file, (*path, "tls", "key_file"))

    def _file(self, name: str, path: Path) -> str:
        """Return the full name of a file that must be there; empty stays empty."""
        if not name:
            return ""
        file = self._folder / name
        if not _is_file(file):
            self._faults.add(path, f"is {str(file)!r}; must be a file, and there is none")
        return str(file)

    def _llm(self, section: JudgeSection, path: Path) -> LlmSpec:
        template = self._template(section, path)
        backend = self._backends.get(section.backend or "")
        faults = model_faults(section, backend, template, self._check_faults)
        self._faults.add_fields(path, faults)
        return LlmSpec(
            backend=section.backend or "",
            model=section.model or "",
            template=template,
            patterns=tuple(ProsePattern(**p.model_dump()) for p in section.patterns),
            discovery=discovery_of(section.discovery, backend),
            **section.model_dump(
                include=set(_LLM) - {"backend", "model", "template_file", "patterns", "discovery"}
            ),
        )

    def _template(self, section: JudgeSection, path: Path) -> str:
        name = self._file(section.template_file, (*path, "template_file"))
        if name:
            self.beside.append(name)
        if not name or not _is_file(name):
            return ""
        try:
            data = content(FilePath(name))
            text = "" if len(data) > MAX_BYTES else data.decode()
        except (OSError, UnicodeDecodeError) as error:
            self._faults.add((*path, "template_file"), f"cannot be read: {error}")
            return ""
        if len(data) > MAX_BYTES:
            self._faults.add((*path, "template_file"), f"has more than {MAX_BYTES} bytes")
        elif not text.strip():
            self._faults.add((*path, "template_file"), "is empty; must be a prompt template")
        return text


def _is_file(name: str | FilePath) -> bool:
    """Tell whether there is a file. Path's own raises where it may not look."""
    return os.path.isfile(name)  # noqa: PTH113


def _base_url(text: str) -> bool:
    """Tell whether `text` is an address without user, query and fragment."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    whole = parts.scheme in ("http", "https") and host and text.isascii() and text.isprintable()
    return bool(whole) and not any(mark in text for mark in " @?#")


def _habit_faults(section: JudgeSection) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for numbers that contradict each other."""
    retry, breaker = section.retry, section.breaker
    if retry and retry.cap_seconds < retry.base_seconds:
        words = f"is {retry.cap_seconds:g}; must be at least base_seconds ({retry.base_seconds:g})"
        yield "retry.cap_seconds", words
    if breaker and breaker.max_open_seconds < breaker.open_seconds:
        least = f"open_seconds ({breaker.open_seconds:g})"
        yield (
            "breaker.max_open_seconds",
            f"is {breaker.max_open_seconds:g}; must be at least {least}",
        )


def _habits(section: JudgeSection) -> Habits:
    return Habits(
        limit=LimitHabit(**section.limit.model_dump()) if section.limit else None,
        retry=RetryHabit(**section.retry.model_dump()) if section.retry else None,
        hedge=HedgeHabit(**section.hedge.model_dump()) if section.hedge else None,
        breaker=BreakerHabit(**section.breaker.model_dump()) if section.breaker else None,
        cache=CacheHabit(**section.cache.model_dump()) if section.cache else None,
    )
