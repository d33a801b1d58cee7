"""Lists that are read by pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar, cast

from ._send import Call

Item = TypeVar("Item")
Page = TypeVar("Page")


class List(Generic[Item, Page]):
    """A list: a loop reads every item, a page at a time; `page()` reads one page, as the query asks. Nothing is called before."""

    def __init__(self, send: Callable[[Call], Any], call: Call, largest_limit: int) -> None:
        self._send = send
        self._call = call
        self._largest_limit = largest_limit

    def page(self) -> Page:
        """One page, as the query asks."""
        return cast(Page, self._send(self._call))

    def pages(self) -> Iterator[Page]:
        """Every page from the one that the query asks for, each as large as the API allows unless the query has a `limit`."""
        call: Call | None = first_call(self._call, self._largest_limit)
        while call is not None:
            page = self._send(call)
            yield page
            call = next_call(call, page)

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from cast(Any, page)["data"]


class AsyncList(Generic[Item, Page]):
    """A list: `async for` reads every item, a page at a time; `await` reads one page, as the query asks. Nothing is called before."""

    def __init__(self, send: Callable[[Call], Awaitable[Any]], call: Call, largest_limit: int) -> None:
        self._send = send
        self._call = call
        self._largest_limit = largest_limit

    def __await__(self) -> Generator[Any, Any, Page]:
        return self._send(self._call).__await__()

    async def pages(self) -> AsyncIterator[Page]:
        """Every page from the one that the query asks for, each as large as the API allows unless the query has a `limit`."""
        call: Call | None = first_call(self._call, self._largest_limit)
        while call is not None:
            page = await self._send(call)
            yield page
            call = next_call(call, page)

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in cast(Any, page)["data"]:
                yield item


def first_call(call: Call, largest_limit: int) -> Call:
    limit = call.query.get("limit")
    return replace(call, query={**call.query, "limit": largest_limit if limit is None else limit})


def next_call(call: Call, page: Mapping[str, Any]) -> Call | None:
    """The call of the page after this one; None: it was the last."""
    query: dict[str, Any] = {**call.query}
    if not page["data"] or page.get("hasMore") is False:
        return None
    if "nextCursor" in page:
        query.pop("page", None)
        cursor = page["nextCursor"]
        return None if cursor is None else replace(call, query={**query, "cursor": cursor})
    number = query.get("page") or 0
    seen = number * query["limit"] + len(page["data"])
    return replace(call, query={**query, "page": number + 1}) if seen < page.get("count", 0) else None
