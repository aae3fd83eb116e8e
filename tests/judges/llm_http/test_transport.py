"""Whom the transport talks to, and whom not."""

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest
from consensus_client.testing import FakeLlm, http_error

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.judges.llm import transport
from tests.judges.llm_http.asking import ask, asking

OPENSSL = shutil.which("openssl")


async def failure_at(url: str, seconds: float = 10) -> JudgeFailed:
    async with asking(url) as backend:
        with pytest.raises(JudgeFailed) as caught:
            await backend.complete(ask(), seconds)
    return caught.value


async def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-mine")
    with FakeLlm() as elsewhere:
        there = f"{elsewhere.base_url}/chat/completions"
        with FakeLlm(http_error(307, headers={"Location": there})) as fake:
            async with asking(fake, api_key_file=str(key)) as backend:
                with pytest.raises(JudgeFailed, match="not followed"):
                    await backend.complete(ask(), 10)
        assert elsewhere.calls == []


async def test_proxies_of_the_environment_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLlm() as proxy, FakeLlm() as fake:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        monkeypatch.setenv("http_proxy", proxy.base_url)
        async with asking(fake) as backend:
            await backend.complete(ask(), 10)
        assert proxy.connection_count == 0


async def test_cookies_are_not_kept() -> None:
    with FakeLlm(http_error(500, headers={"Set-Cookie": "a=b"})) as fake:
        async with asking(fake) as backend:
            for _ in range(2):
                with pytest.raises(JudgeFailed):
                    await backend.complete(ask(), 10)
        assert "cookie" not in fake.calls[1].headers


async def test_a_connection_is_used_again() -> None:
    with FakeLlm() as fake:
        async with asking(fake) as backend:
            for _ in range(5):
                await backend.complete(ask(), 10)
        assert fake.connection_count == 1


async def test_a_connection_that_takes_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without TLS does not answer to the first words of TLS."""
    monkeypatch.setattr(transport, "CONNECT_SECONDS", 0.05)
    with FakeLlm() as fake:
        failed = await failure_at(fake.base_url.replace("http", "https"))
        assert fake.calls == []
    assert (failed.kind, failed.passing) == (FailureKind.TIMEOUT, True)
    assert failed.reason == "no connection within 0.05 s"


@pytest.fixture
def unknown_certificate(tmp_path: Path) -> ssl.SSLContext:
    """A certificate that vouches for itself."""
    if OPENSSL is None:
        pytest.skip("needs the openssl command to make a certificate")
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    files = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run([OPENSSL, *command.split(), *subject, *files], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context


async def test_a_certificate_of_nobody_is_not_trusted(unknown_certificate: ssl.SSLContext) -> None:
    with FakeLlm(tls=unknown_certificate) as fake:
        failed = await failure_at(fake.base_url)
        assert fake.calls == []
    assert (failed.kind, failed.passing) == (FailureKind.ERROR, False)
    assert "certificate" in failed.reason


async def test_what_does_not_speak_http_is_unreadable() -> None:
    with FakeLlm(http_error(500, headers={"x\0y": "z"})) as fake:
        failed = await failure_at(fake.base_url)
    assert failed.kind is FailureKind.UNREADABLE


async def test_a_server_that_takes_no_connection_is_given_up() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        failed = await failure_at(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1")
    assert "cannot be reached" in failed.reason
