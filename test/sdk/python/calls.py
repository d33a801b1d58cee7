"""Makes the calls that it reads from standard input, a line of JSON each, and answers each by a line.

The sync client makes all of them, the async one those that change nothing too.
"""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import os
import re
import sys
from typing import Any

import httpx

from waymark import AsyncWaymark, List, Waymark


def methods_of(client: object) -> dict[tuple[str, str], Any]:
    nouns = {name: noun for name, noun in vars(client).items() if not name.startswith("_")}
    return {
        (name, verb): getattr(noun, verb) for name, noun in nouns.items() for verb in dir(noun) if not verb.startswith("_")
    }


def find_methods() -> dict[str, tuple[str, str]]:
    """Noun and verb of each call, by its method and path without ids."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {re.sub(r'/[12]{4}(?=/|$)', '/{}', request.url.path)}")
        return httpx.Response(200, json={"data": []})

    recording = Waymark(base_url="https://api.example.com", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
    found = {}
    for name, method in methods_of(recording).items():
        parameters = inspect.signature(method).parameters
        ids = [parameter for parameter in parameters.values() if parameter.kind is parameter.POSITIONAL_ONLY]
        made = method(*["1111", "2222"][: len(ids)], **({"file": b""} if "file" in parameters else {}))
        if isinstance(made, List):
            made.page()
        found[asked.pop()] = name
    return found


def main() -> None:
    names = find_methods()
    options: dict[str, Any] = {"base_url": os.environ["API"], "max_retries": 0}
    own, own_async = httpx.Client(), httpx.AsyncClient()
    sync = methods_of(Waymark(**options, http_client=own))
    later = methods_of(AsyncWaymark(**options, http_client=own_async))
    loop = asyncio.new_event_loop()

    async def wait(awaitable: Any) -> Any:
        return await awaitable

    for line in sys.stdin:
        call = json.loads(line)
        fields = call["fields"]
        if "file" in fields:
            fields["file"] = (fields["file"]["name"], base64.b64decode(fields["file"]["content"]))
        arguments = {**fields, "extra_headers": call["headers"]}
        try:
            name = names[call["shape"]]
            # Each call has a caller of its own.
            own.cookies.clear()
            answer = sync[name](*call["ids"], **arguments)
            if isinstance(answer, List):
                answer = answer.page()
            if call["shape"].startswith("GET "):
                own_async.cookies.clear()
                again = loop.run_until_complete(wait(later[name](*call["ids"], **arguments)))
                assert type(again) is type(answer), f"{type(answer)} and {type(again)}"
            print(json.dumps({"answer": answer if isinstance(answer, dict) else None}), flush=True)
        except Exception as error:
            told = {"error": repr(error), "code": getattr(error, "code", None), "requestId": getattr(error, "request_id", None)}
            print(json.dumps(told), flush=True)


main()
