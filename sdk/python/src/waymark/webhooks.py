"""Verification of webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable
from typing import Any, Literal, Protocol, cast

from ._generated.types import WebhookEvent
from .errors import WebhookVerificationError


class HeaderSource(Protocol):
    """Headers of a request as frameworks have them; their names in any case."""

    def items(self) -> Iterable[tuple[Any, Any]]: ...


def verify_webhook(
    body: bytes | str,
    headers: HeaderSource,
    *,
    secret: str,
    scheme: Literal["standard", "body"] = "standard",
    signature_header: str = "X-Service-Signature",
    tolerance_seconds: float = 300,
    now_seconds: float | None = None,
) -> WebhookEvent:
    """Checks that a request comes from Waymark, and reads its event.

    `body`: as it arrived; a parsed body that is serialized again has other bytes.
    `secret`: the one that the API showed when the webhook was made, `whsec_…`.
    `scheme`: "standard" checks id, time and body by `webhook-signature`; "body" checks the body alone by `signature_header`, so that
    a request of old can be sent again.
    `tolerance_seconds`: how far `webhook-timestamp` may be off `now_seconds`, Unix seconds, the present by default.

    Raises WebhookVerificationError where the request does not come from Waymark, or is older than the tolerance.
    """
    content = body.encode() if isinstance(body, str) else body
    # Frameworks that parse bodies hand over a dict.
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise WebhookVerificationError("The body is parsed: hand over the text or bytes.")
    content = bytes(content)
    # As it comes from a file, with the end of its line.
    secret = secret.strip()
    if scheme == "body":
        found = re.fullmatch(r"sha256=([0-9a-f]{64})", _read(headers, signature_header))
        given = [bytes.fromhex(found[1])] if found else []
        _require_one(secret.encode(), given, content, signature_header)
    else:
        now = time.time() if now_seconds is None else now_seconds
        _verify_standard(content, headers, secret, tolerance_seconds, now)
    return cast(WebhookEvent, json.loads(content))


def _verify_standard(body: bytes, headers: HeaderSource, secret: str, tolerance: float, now: float) -> None:
    event_id, timestamp = _read(headers, "webhook-id"), _read(headers, "webhook-timestamp")
    if not event_id or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-id or -timestamp is missing.")
    if abs(now - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"webhook-timestamp is more than {tolerance:g} s off.")
    # While the secret is exchanged there are two.
    signatures = _read(headers, "webhook-signature").split(" ")
    given = [_from_base64(text[3:]) for text in signatures if text.startswith("v1,")]
    signed = f"{event_id}.{timestamp}.".encode() + body
    _require_one(_from_base64(secret.removeprefix("whsec_")), given, signed, "webhook-signature")


def _require_one(key: bytes, given: list[bytes], signed: bytes, header: str) -> None:
    if not key:
        raise WebhookVerificationError("This is no secret of a webhook, like whsec_….")
    expected = hmac.new(key, signed, hashlib.sha256).digest()
    if not any(hmac.compare_digest(expected, signature) for signature in given):
        raise WebhookVerificationError(f"{header} was not made with this secret.")


def _read(headers: HeaderSource, name: str) -> str:
    wanted = name.lower()
    value = next((value for key, value in headers.items() if str(key).lower() == wanted), "")
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return first if isinstance(first, str) else ""


def _from_base64(text: str) -> bytes:
    """No bytes where the text is no base64."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
