"""The key: read from its file, read again when it changes, shown to nobody."""

import logging
from pathlib import Path

import pytest
from consensus_client.testing import FakeLlm

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from tests.judges.llm_http.asking import ask, asking

HEADERS = [("openai_chat", "authorization", "Bearer "), ("anthropic_messages", "x-api-key", "")]


def keyfile(folder: Path, text: str) -> Path:
    file = folder / "key"
    file.write_text(text)
    return file


@pytest.mark.parametrize(("kind", "header", "prefix"), HEADERS)
async def test_a_rotated_key_is_used_from_the_next_call_on(
    tmp_path: Path, kind: str, header: str, prefix: str
) -> None:
    file = keyfile(tmp_path, "sk-first\n")
    with FakeLlm() as fake:
        async with asking(fake, kind, api_key_file=str(file)) as backend:
            await backend.complete(ask(), 10)
            file.write_text("sk-the-second\n")
            await backend.complete(ask(), 10)
            rotated = tmp_path / "rotated"
            rotated.write_text("sk-the-thi-rd\n")  # as long as the second
            rotated.replace(file)
            await backend.complete(ask(), 10)
        found = [call.headers[header] for call in fake.calls]
    assert found == [prefix + key for key in ("sk-first", "sk-the-second", "sk-the-thi-rd")]
    assert fake.connection_count == 1


@pytest.mark.parametrize("content", ["", " \n", "two\nlines", "\x00", "x" * 20_000, None])
async def test_while_a_file_cannot_be_used_the_last_key_stays(
    tmp_path: Path, content: str | None
) -> None:
    file = keyfile(tmp_path, "sk-first")
    with FakeLlm() as fake:
        async with asking(fake, api_key_file=str(file)) as backend:
            await backend.complete(ask(), 10)
            if content is None:
                file.unlink()
            else:
                file.write_text(content)
            await backend.complete(ask(), 10)
            file.write_text("sk-third-key")
            await backend.complete(ask(), 10)
        found = [call.headers["authorization"] for call in fake.calls]
    assert found == ["Bearer sk-first", "Bearer sk-first", "Bearer sk-third-key"]


@pytest.mark.parametrize("content", ["", "two\r\nX-Evil: lines", None])
async def test_without_a_usable_key_nobody_is_asked(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content.encode())
    with FakeLlm() as fake:
        async with asking(fake, api_key_file=str(file)) as backend:
            with pytest.raises(JudgeFailed) as caught:
                await backend.complete(ask(), 10)
        assert fake.calls == []
    assert caught.value.kind is FailureKind.ERROR
    assert "Evil" not in str(caught.value)


async def test_a_wrong_key_fails_the_call_and_is_not_repeated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeLlm(key="sk-right") as fake:
        async with asking(fake, api_key_file=str(keyfile(tmp_path, "sk-wrong"))) as backend:
            with pytest.raises(JudgeFailed, match="401: the key is not accepted"):
                await backend.complete(ask(), 10)
            keyfile(tmp_path, "sk-right")
            assert (await backend.complete(ask(), 10)).text == "ok"
    assert "sk-" not in caplog.text
