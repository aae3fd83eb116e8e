"""The `sandbox` section: what it allows, and what a machine cannot do is told at load."""

import pytest

from consensus.config import sandbox
from consensus.domain.sandbox import CodeRules, SandboxRules, UrlRules
from tests.config.policies import default, faults, parsed, rules

CHECKED = {"stages": [{"name": "one", "checks": [{"code_run": {"test": "assert True"}}]}]}


def test_without_it_queries_alone_are_allowed() -> None:
    assert parsed(rules()).sandbox == SandboxRules()


def test_an_empty_section_allows_with_careful_defaults() -> None:
    assert parsed(rules(sandbox={"url": {}})).sandbox == SandboxRules(url=UrlRules())


def test_every_key_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "x86_64")
    url = {
        "hosts": ["Example.org", "*.example.org"],
        "ports": [8443],
        "allow_addresses": ["10.0.0.0/8"],
        "timeout_seconds": 1.5,
        "max_urls": 2,
        "max_bytes": 4096,
        "max_redirects": 0,
        "concurrency": 1,
    }
    code = {
        "timeout_seconds": 2.5, "memory_bytes": 1 << 27, "disk_bytes": 1 << 20, "concurrency": 3,
    }  # fmt: skip
    found = parsed(rules({"default": CHECKED}, sandbox={"url": url, "code": code})).sandbox
    assert found.url == UrlRules(
        hosts=("example.org", "*.example.org"),
        ports=(8443,),
        allow_addresses=("10.0.0.0/8",),
        timeout_seconds=1.5,
        max_urls=2,
        max_bytes=4096,
        max_redirects=0,
        concurrency=1,
    )
    assert found.code == CodeRules(**code)  # type: ignore[arg-type]


def test_code_needs_its_programs_and_a_machine_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "riscv64")
    told = faults(rules({"default": CHECKED}, sandbox={"code": {}}))
    assert [line.partition(": ")[2] for line in told] == [
        "sandbox.code: needs the program `bwrap`, which is not installed (package bubblewrap)",
        "sandbox.code: needs the program `prlimit`, which is not installed (package util-linux)",
        "sandbox.code: runs on x86_64 and aarch64, not on riscv64",
    ]


def test_a_revision_tells_what_the_sandbox_may_do() -> None:
    plain = default(rules()).revision
    assert default(rules(sandbox={})).revision == plain
    assert default(rules(sandbox={"url": {}})).revision != plain
    other = default(rules(sandbox={"url": {"max_urls": 1}})).revision
    assert other != default(rules(sandbox={"url": {}})).revision
