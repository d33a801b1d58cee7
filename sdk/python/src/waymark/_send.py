"""One call with its attempts, and how both clients make it."""

from __future__ import annotations

import asyncio
import json
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from ._files import File, read_file
from .errors import WaymarkConnectionError, WaymarkError, WaymarkTimeoutError, error_of, read_retry_after

FIRST_BACKOFF_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 8
LONGEST_WAIT_SECONDS = 60
# Of a call, after 429: they use up no retry.
FREE_WAIT_SECONDS = 60
# A proxy's or server's failure, after which the call may or may not have been carried out.
FAILURES = {500, 502, 504}

OnResponse = Callable[[httpx.Response], object]


@dataclass(frozen=True)
class Settings:
    """What all calls of a client have in common."""

    base_url: str
    headers: Mapping[str, str]
    timeout: float
    max_retries: int


@dataclass(frozen=True)
class Call:
    """A call of an operation; its last five fields replace those of the client."""

    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    file: File | None = None
    form: Mapping[str, object] = field(default_factory=dict)
    takes_key: bool = False
    redirects: bool = False
    timeout: float | None = None
    max_retries: int | None = None
    extra_headers: Mapping[str, str] | None = None
    idempotency_key: str | None = None
    on_response: OnResponse | None = None


def send(client: httpx.Client, settings: Settings, call: Call) -> Any:
    """Makes a call. @returns what its answer holds. Raises ApiError where that is no success, and WaymarkConnectionError."""
    attempts = Attempts(settings, call)
    while True:
        try:
            response = client.request(**attempts.request)
        except httpx.RequestError as error:
            wait = attempts.wait_after_failure(error)
        else:
            if attempts.is_success(response):
                return attempts.read(response)
            wait = attempts.wait_after(response)
        time.sleep(wait)


async def send_async(client: httpx.AsyncClient, settings: Settings, call: Call) -> Any:
    """As send."""
    attempts = Attempts(settings, call)
    while True:
        try:
            response = await client.request(**attempts.request)
        except httpx.RequestError as error:
            wait = attempts.wait_after_failure(error)
        else:
            if attempts.is_success(response):
                return attempts.read(response)
            wait = attempts.wait_after(response)
        await asyncio.sleep(wait)


class Attempts:
    """Decides whether a call is repeated: where the API asks for it, and where its answer is lost and a second call does no harm."""

    def __init__(self, settings: Settings, call: Call) -> None:
        headers = httpx.Headers(settings.headers)
        headers.update(call.extra_headers)
        if call.takes_key:
            headers.setdefault("idempotency-key", call.idempotency_key or str(uuid.uuid4()))
        self._call = call
        self._timeout = settings.timeout if call.timeout is None else call.timeout
        self._retries = settings.max_retries if call.max_retries is None else call.max_retries
        self._attempts = 0
        self._failed = 0
        self._limited = 0.0
        # A second DELETE would not find what the first deleted. The API knows a POST or PUT again by its key.
        self._is_repeatable = call.method in ("GET", "PATCH") or "idempotency-key" in headers
        self.request: dict[str, Any] = {
            "method": call.method,
            "url": settings.base_url + call.path,
            "params": {name: value for name, value in call.query.items() if value is not None},
            "headers": headers,
            "timeout": self._timeout,
            # httpx would send the key of the API to whatever address an answer names.
            "follow_redirects": False,
        }
        if call.file is not None:
            self.request["files"] = {"file": read_file(call.file)}
            self.request["data"] = {name: value for name, value in call.form.items() if value is not None}
        elif call.body is not None:
            self.request["json"] = call.body

    def is_success(self, response: httpx.Response) -> bool:
        return response.is_success or (self._call.redirects and response.has_redirect_location)

    def read(self, response: httpx.Response) -> Any:
        """JSON as Python has it, text, bytes, or the address that the answer redirects to; None where there is no content."""
        if self._call.on_response is not None:
            self._call.on_response(response)
        if response.has_redirect_location:
            return response.headers["location"]
        if response.status_code == httpx.codes.NO_CONTENT:
            return None
        kind = response.headers.get("content-type", "none")
        if kind.startswith("application/json"):
            return _parse(response)
        if kind.startswith("text/csv") or self._call.path.endswith("/security.txt"):
            return response.text
        if kind.startswith("image/"):
            return response.content
        # A proxy or a page has answered in place of the API.
        raise _no_answer(f"its type is {kind}")

    def wait_after(self, response: httpx.Response) -> float:
        """Seconds until the next attempt. Raises the error of the answer where there is none."""
        status, headers = response.status_code, response.headers
        # Nothing was done, or (409) the first call with the same key still runs.
        is_refused = status in (429, 503) or (status == httpx.codes.CONFLICT and "retry-after" in headers)
        asked = read_retry_after(headers) or 0
        can_repeat = is_refused or (status in FAILURES and self._is_repeatable)
        backoff = self._next_backoff()
        # Calls that were refused together shall not come again together.
        wait = asked + random.uniform(0, backoff) if asked else random.uniform(backoff / 2, backoff)
        if not can_repeat or asked > LONGEST_WAIT_SECONDS:
            raise error_of(response)
        # A limit of calls a second lets some of many calls pass each time: the others wait without using up retries.
        if status == httpx.codes.TOO_MANY_REQUESTS and self._retries > 0 and self._limited < FREE_WAIT_SECONDS:
            self._limited += wait
        elif not self._has_attempt():
            raise error_of(response)
        return wait

    def wait_after_failure(self, error: httpx.RequestError) -> float:
        """Seconds until the next attempt. Raises a WaymarkConnectionError where there is none."""
        if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
            # Nothing was sent. The error of httpx may hold a header whole, and so a secret.
            raise WaymarkConnectionError(f"The call cannot be sent ({type(error).__name__}).") from None
        backoff = self._next_backoff()
        if self._is_repeatable and self._has_attempt():
            return random.uniform(backoff / 2, backoff)
        if isinstance(error, httpx.TimeoutException):
            raise WaymarkTimeoutError(f"No answer came within {self._timeout} s.") from error
        raise WaymarkConnectionError(f"No answer came: {error}") from error

    def _next_backoff(self) -> float:
        self._attempts += 1
        return min(FIRST_BACKOFF_SECONDS * 2.0 ** (self._attempts - 1), LONGEST_BACKOFF_SECONDS)

    def _has_attempt(self) -> bool:
        self._failed += 1
        return self._failed <= self._retries


def segment(value: str) -> str:
    """An id as a part of a path."""
    # These lead to another call: two dots to the path above, one dot or nothing to that of all.
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"This is no id: {value!r}")
    return quote(value, safe="")


def _parse(response: httpx.Response) -> Any:
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise _no_answer("it is no JSON") from error


def _no_answer(reason: str) -> WaymarkError:
    return WaymarkError(f"No answer of Waymark: {reason}. Is the address that of the API?")
