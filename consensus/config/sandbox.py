"""The shape of `sandbox` in the policy file and of the checks that need it, and what it builds."""

import ipaddress
import platform
import re
import shutil
from typing import Annotated, Literal

from pydantic import Field

from consensus.config.faults import Faults
from consensus.config.section import Section
from consensus.domain.sandbox import CodeRules, SandboxRules, UrlRules

_URL, _CODE = UrlRules(), CodeRules()
_MIB = 1 << 20
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
_Host = Annotated[str, Field(min_length=1, max_length=255)]
_Network = Annotated[str, Field(min_length=1, max_length=64)]
_Port = Annotated[int, Field(ge=1, le=65_535)]
MACHINES = ("x86_64", "aarch64")
"""Machines whose system calls the sandbox knows how to filter."""


class SqlSection(Section):
    """A query and what it must give."""

    setup: str = Field(
        "", max_length=100_000, description="SQL that makes tables and rows, run first."
    )
    columns: list[str] = Field(
        [], max_length=256, description="The result's columns, in order, in any case. Empty: any."
    )
    min_rows: int = Field(0, ge=0, le=10_000, description="Fewest rows.")


class UrlAnswerSection(Section):
    """What URLs must answer."""

    contains: str = Field(
        "", max_length=4_000, description="What each answer's text must hold. Empty: nothing."
    )


class CodeRunSection(Section):
    """Code to run and what to run it with."""

    language: Literal["python"] = Field("python", description="Language of the code block.")
    test: str = Field(
        "", max_length=100_000, description="Code that runs after it, in the same module."
    )


class SandboxUrlSection(Section):
    """What `url` checks may fetch. Addresses that are not public are refused, whatever the name."""

    hosts: list[_Host] = Field(
        [],
        max_length=256,
        description="Hosts that may be asked; `*.example.org` for all below one. Empty: any.",
    )
    ports: list[_Port] = Field(
        list(_URL.ports), min_length=1, max_length=16, description="Ports that may be asked."
    )
    allow_addresses: list[_Network] = Field(
        [],
        max_length=64,
        description="Networks, such as `10.1.0.0/16`, that may be asked although not public.",
    )
    timeout_seconds: float = Field(
        _URL.timeout_seconds, gt=0, le=60, description="Of one check, redirects and all."
    )
    max_urls: int = Field(_URL.max_urls, ge=1, le=20, description="Most URLs of one text.")
    max_bytes: int = Field(
        _URL.max_bytes, ge=1_024, le=16 * _MIB, description="Most of an answer that is read."
    )
    max_redirects: int = Field(_URL.max_redirects, ge=0, le=10, description="Most redirects.")
    concurrency: int = Field(_URL.concurrency, ge=1, le=256, description="Most at a time.")


class SandboxCodeSection(Section):
    """What `code_run` checks may use. Needs bubblewrap (`bwrap`) and user namespaces."""

    timeout_seconds: float = Field(
        _CODE.timeout_seconds, gt=0, le=60, description="Most time of one run."
    )
    memory_bytes: int = Field(
        _CODE.memory_bytes, ge=64 * _MIB, le=4096 * _MIB, description="Most memory of one run."
    )
    disk_bytes: int = Field(
        _CODE.disk_bytes, ge=_MIB, le=1024 * _MIB, description="Most files of one run, in memory."
    )
    concurrency: int = Field(_CODE.concurrency, ge=1, le=64, description="Most runs at a time.")


class SandboxSection(Section):
    """What checks that touch the world may do. `sql` needs no leave. See [sandbox](sandbox.md)."""

    url: SandboxUrlSection | None = Field(
        None, description="Checks may fetch URLs. Absent: such checks are refused."
    )
    code: SandboxCodeSection | None = Field(
        None, description="Checks may run code. Absent: such checks are refused."
    )

    def built(self, faults: Faults) -> SandboxRules:
        """Return the rules, and add what this machine cannot do."""
        return SandboxRules(
            url=_url(self.url, faults) if self.url is not None else None,
            code=_code(self.code, faults) if self.code is not None else None,
        )


def _url(section: SandboxUrlSection, faults: Faults) -> UrlRules:
    for index, host in enumerate(section.hosts):
        if not _HOST.fullmatch(host):
            words = f"is {host!r}; must be a host, such as example.org or *.example.org"
            faults.add(("sandbox", "url", "hosts", index), words)
    for index, network in enumerate(section.allow_addresses):
        try:
            ipaddress.ip_network(network)
        except ValueError:
            words = f"is {network!r}; must be a network, such as 10.1.0.0/16"
            faults.add(("sandbox", "url", "allow_addresses", index), words)
    own = section.model_dump()
    lists = {key: tuple(entry) for key, entry in own.items() if isinstance(entry, list)}
    lists["hosts"] = tuple(host.lower() for host in section.hosts)
    return UrlRules(**{**own, **lists})


def _code(section: SandboxCodeSection, faults: Faults) -> CodeRules:
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux")):
        if shutil.which(program) is None:
            words = f"needs the program `{program}`, which is not installed (package {package})"
            faults.add(("sandbox", "code"), words)
    if platform.machine() not in MACHINES:
        words = f"runs on {' and '.join(MACHINES)}, not on {platform.machine()}"
        faults.add(("sandbox", "code"), words)
    return CodeRules(**section.model_dump())
