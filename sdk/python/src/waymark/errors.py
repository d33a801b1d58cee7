"""Errors of calls and of the verification of webhooks."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import httpx

from ._generated.types import ApiError as ErrorBody
from ._generated.types import ApiErrorIssuesItem


class WaymarkError(Exception):
    """Any failure of a call, or of the verification of a webhook."""


class WaymarkConnectionError(WaymarkError):
    """No answer arrived: the address is wrong, or the connection broke. `__cause__` is the error of httpx, unless that may hold a secret."""


class WaymarkTimeoutError(WaymarkConnectionError):
    """No answer arrived within `timeout`."""


class WebhookVerificationError(WaymarkError):
    """A request is no webhook of this secret, or is too old."""


class ApiError(WaymarkError):
    """An answer that is no success. Each code has a class of its own below."""

    status: int
    code: str | None
    """Later versions of the API may have more codes; None where a proxy answered in place of the API."""
    request_id: str | None
    """Names the call in the logs of the installation."""
    issues: list[ApiErrorIssuesItem]
    """Every wrong field of the input, by its dotted path."""
    body: ErrorBody | None
    """The whole body of the answer; None where a proxy answered in place of the API."""
    headers: httpx.Headers

    def __init__(self, response: httpx.Response, body: ErrorBody | None = None) -> None:
        text = f"The answer has the status {response.status_code} and no error of Waymark."
        super().__init__(text if body is None else body["message"])
        fields: dict[str, Any] = {**(body or {})}
        self.status = response.status_code
        self.code = fields.get("code")
        self.request_id = fields.get("requestId") or response.headers.get("x-request-id")
        self.issues = fields.get("issues", [])
        self.body = body
        self.headers = response.headers

    @property
    def retry_after_seconds(self) -> int | None:
        """Seconds after which the API wants to be called again, where it says so."""
        return read_retry_after(self.headers)


class ValidationError(ApiError): ...


class UnauthorizedError(ApiError): ...


class SecondFactorRequiredError(ApiError): ...


class SecondFactorMissingError(ApiError): ...


class ConfirmationRequiredError(ApiError): ...


class ForbiddenError(ApiError): ...


class ActionNotAllowedError(ApiError): ...


class PlanLimitReachedError(ApiError): ...


class FolderLimitReachedError(ApiError): ...


class FeatureNotAvailableError(ApiError): ...


class NotFoundError(ApiError): ...


class AlreadyExistsError(ApiError): ...


class ConflictError(ApiError): ...


class RateLimitError(ApiError): ...


class ServiceUnavailableError(ApiError): ...


class InternalServerError(ApiError): ...


_classes: dict[str, type[ApiError]] = {
    "VALIDATION_ERROR": ValidationError,
    "UNAUTHORIZED": UnauthorizedError,
    "SECOND_FACTOR_REQUIRED": SecondFactorRequiredError,
    "SECOND_FACTOR_MISSING": SecondFactorMissingError,
    "CONFIRMATION_REQUIRED": ConfirmationRequiredError,
    "FORBIDDEN": ForbiddenError,
    "ACTION_NOT_ALLOWED": ActionNotAllowedError,
    "PLAN_LIMIT_REACHED": PlanLimitReachedError,
    "FOLDER_LIMIT_REACHED": FolderLimitReachedError,
    "FEATURE_NOT_AVAILABLE": FeatureNotAvailableError,
    "NOT_FOUND": NotFoundError,
    "ALREADY_EXIST": AlreadyExistsError,
    "CONFLICT": ConflictError,
    "RATE_LIMIT_EXCEEDED": RateLimitError,
    "SERVICE_UNAVAILABLE": ServiceUnavailableError,
    "INTERNAL_SERVER_ERROR": InternalServerError,
}


def error_of(response: httpx.Response) -> ApiError:
    """The error of an answer that is no success."""
    body = _parse(response.content)
    return ApiError(response) if body is None else _classes.get(body["code"], ApiError)(response, body)


def read_retry_after(headers: httpx.Headers) -> int | None:
    """Seconds; None where the header is absent or a date."""
    text = headers.get("retry-after", "")
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else None


def _parse(content: bytes) -> ErrorBody | None:
    try:
        body = json.loads(content)
    except ValueError:
        return None
    is_error = isinstance(body, dict) and isinstance(body.get("code"), str) and isinstance(body.get("message"), str)
    return cast(ErrorBody, body) if is_error else None
