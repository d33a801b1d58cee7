"""One call with its attempts, and how both clients make it."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from ._files import File, read_file
from .errors import WaymarkConnectionError, WaymarkTimeoutError, error_of, read_retry_after

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 60
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
        self._failed = 0
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
        kind = response.headers.get("content-type", "")
        if kind.startswith("application/json"):
            return response.json()
        return response.text if kind.startswith("text/") else response.content

    def wait_after(self, response: httpx.Response) -> float:
        """Seconds until the next attempt. Raises the error of the answer where there is none."""
        status, headers = response.status_code, response.headers
        # Nothing was done, or (409) the first call with the same key still runs.
        is_refused = status in (429, 503) or (status == httpx.codes.CONFLICT and "retry-after" in headers)
        asked = read_retry_after(headers)
        wait = self._backoff() if asked is None else asked
        can_repeat = is_refused or (status in FAILURES and self._is_repeatable)
        if not can_repeat or wait > LONGEST_WAIT_SECONDS or not self._has_attempt():
            raise error_of(response)
        return wait

    def wait_after_failure(self, error: httpx.RequestError) -> float:
        """Seconds until the next attempt. Raises a WaymarkConnectionError where there is none."""
        wait = self._backoff()
        if self._is_repeatable and self._has_attempt():
            return wait
        if isinstance(error, httpx.TimeoutException):
            raise WaymarkTimeoutError(f"No answer came within {self._timeout} s.") from error
        raise WaymarkConnectionError(f"No answer came: {error}") from error

    def _backoff(self) -> float:
        return FIRST_WAIT_SECONDS * 2.0**self._failed * random.uniform(0.5, 1)

    def _has_attempt(self) -> bool:
        self._failed += 1
        return self._failed <= self._retries


def segment(value: str) -> str:
    """A part of a path."""
    return quote(value, safe="")
