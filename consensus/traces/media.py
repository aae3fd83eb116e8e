"""Pictures, sound and other binary data inside values, told by kind and size instead."""

import re
from collections.abc import Mapping


class Marker(str):
    """A text of ours in the place of a value; it is told without quotation marks."""

    __slots__ = ()


_DATA_URL = re.compile(
    r"data:(?P<type>[a-z]{1,40}/[a-z0-9.+-]{1,80}+)(?:;[a-z0-9=.+-]{1,80}+){0,4}"
    r";base64,(?P<data>[a-z0-9+/=_-]++)",
    re.IGNORECASE,
)
_MEDIA_TYPE = re.compile(r"[a-z]{1,40}/[a-z0-9.+-]{1,80}", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]+")
_MIN_CHARS = 64
"""Shorter data is told: a marker saves nothing, and a word could be taken for data."""
_RAW_CHARS = 1_000
"""Longer, where the part has a kind but no media type."""
_TYPES = ("mediaType", "media_type", "mimeType", "mime_type")
_KINDS = frozenset({"image", "audio", "video", "file", "input_audio", "input_image", "input_file"})
_SOUNDS = frozenset({"aac", "flac", "m4a", "mp3", "ogg", "opus", "pcm16", "wav", "webm"})
_DATA = frozenset({"data", "image", "audio", "video", "file_data"})
"""Keys under which parts of messages keep their data."""


def without_data_urls(text: str) -> str:
    """Return `text` with a marker for each data URL; a Marker where it was nothing else."""
    if ";base64," not in text:
        return text
    whole = _DATA_URL.fullmatch(text)
    return _url_marker(whole) if whole else _DATA_URL.sub(_url_marker, text)


def without_data(part: Mapping[str, object]) -> Mapping[str, object]:
    """Return one part of a message with markers for its base64 data.

    Known: `{"type": "file", "mediaType", "data"}`, `{"type": "input_audio", "input_audio":
    {"data", "format"}}`, `{"type": "image", "image"}`, `{"type": "base64", "media_type", "data"}`
    and `{"mimeType", "data"}`.
    """
    if _DATA.isdisjoint(part):
        return part
    media = _media_type(part)
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        if media is None:
            return part
        kind = "file"
    told = dict(part)
    least = _RAW_CHARS if media is None else _MIN_CHARS
    for key in _DATA.intersection(part):
        data = part[key]
        if isinstance(data, str) and len(data) > least and _BASE64.fullmatch(data):
            told[key] = _marker(media or f"{kind.removeprefix('input_')}/unknown", data)
    return told


def binary(data: bytes) -> Marker:
    """Return the marker of an attribute of bytes."""
    return Marker(f"[BINARY: {len(data)} bytes]")


def _media_type(part: Mapping[str, object]) -> str | None:
    for key in _TYPES:
        media = part.get(key)
        if isinstance(media, str) and _MEDIA_TYPE.fullmatch(media):
            return media
    sound = part.get("format")
    return f"audio/{sound}" if isinstance(sound, str) and sound in _SOUNDS else None


def _url_marker(found: re.Match[str]) -> Marker:
    return _marker(found["type"], found["data"])


def _marker(media: str, data: str) -> Marker:
    kind = media.split("/")[0].upper()
    kind = kind if kind in {"IMAGE", "AUDIO", "VIDEO"} else "FILE"
    return Marker(f"[{kind}: {media}, ~{len(data.rstrip('=')) * 3 // 4} bytes]")
