"""The clients."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

import httpx

from ._generated.async_nouns import AsyncNouns
from ._generated.nouns import Nouns
from ._send import Settings, send, send_async


class Waymark(Nouns):
    """Client of the API, by nouns and verbs: `waymark.links.create(…)`. Threads may share it.

    `base_url`: address of the API, `https://api.example.com`.
    `api_key`: sent as `x-api-key`.
    `headers`: sent with every call.
    `timeout`: seconds that an attempt waits for a byte.
    `max_retries`: attempts after the first.
    `http_client`: a client of httpx in place of one that `close` closes; with a proxy, for one.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30,
        max_retries: int = 2,
        http_client: httpx.Client | None = None,
    ) -> None:
        client = http_client or httpx.Client()
        self._own_client = None if http_client else client
        super().__init__(partial(send, client, _settings(base_url, api_key, headers, timeout, max_retries)))

    def close(self) -> None:
        if self._own_client is not None:
            self._own_client.close()

    def __enter__(self) -> Waymark:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class AsyncWaymark(AsyncNouns):
    """As Waymark, for asyncio: `await waymark.links.create(…)`."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30,
        max_retries: int = 2,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        client = http_client or httpx.AsyncClient()
        self._own_client = None if http_client else client
        super().__init__(partial(send_async, client, _settings(base_url, api_key, headers, timeout, max_retries)))

    async def close(self) -> None:
        if self._own_client is not None:
            await self._own_client.aclose()

    async def __aenter__(self) -> AsyncWaymark:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()


def _settings(
    base_url: str, api_key: str | None, headers: Mapping[str, str] | None, timeout: float, max_retries: int
) -> Settings:
    # Behind a query or fragment, the paths of calls would be a part of it.
    if not re.fullmatch(r"https?://[^/?#][^?#]*", base_url, re.IGNORECASE):
        raise ValueError(f'base_url is an address like https://api.example.com, not "{base_url}".')
    # As it comes from a file, with the end of its line.
    key = None if api_key is None else api_key.strip()
    if key is not None and not re.fullmatch(r"[\x21-\x7e]*", key):
        # Without the key, which a log must not have.
        raise ValueError("api_key has characters that no key has.")
    sent = {**({} if key is None else {"x-api-key": key}), **(headers or {})}
    return Settings(base_url.rstrip("/"), sent, timeout, max_retries)
