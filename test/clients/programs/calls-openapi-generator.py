"""Calls an API by the Python client of openapi-generator, and prints `ok <operation>` for each call."""

import os
from typing import Callable, TypeVar

from waymark import (
    ApiClient,
    Configuration,
    CreateDomain,
    CreateFolder,
    CreateShortLink,
    CreateShortLinks,
    CreateTag,
    CreateWebhook,
    DestinationDraft,
    DomainsApi,
    FailedRow,
    FilesApi,
    FoldersApi,
    HealthApi,
    OrganizationApi,
    RuleDraft,
    ShortLinkRow,
    ShortLinksApi,
    StatisticsApi,
    TagsApi,
    UpdateShortLink,
    UpdateShortLinkRow,
    UpdateShortLinks,
    UpsertShortLink,
    WebhooksApi,
)
from waymark.exceptions import ApiException, NotFoundException

Data = TypeVar("Data")

client = ApiClient(Configuration(host=os.environ["API"], api_key={"apiKey": os.environ["KEY"]}))
links = ShortLinksApi(client)
folders = FoldersApi(client)
files = FilesApi(client)
webhooks = WebhooksApi(client)


def expect(operation: str, call: Callable[[], Data], is_right: Callable[[Data], bool]) -> Data:
    """Notes a call. Raises where it fails, or its answer is not the expected one."""
    try:
        data = call()
    except ApiException as error:
        raise SystemExit(f"failed {operation}: {error.status} {error.body}") from error
    if not is_right(data):
        raise SystemExit(f"failed {operation}: {data}")
    print(f"ok {operation}", flush=True)
    return data


def destination(value: str, kind: str = "link") -> DestinationDraft:
    return DestinationDraft(type=kind, value=value)


expect("checkLiveness", HealthApi(client).check_liveness, lambda data: data.status == "ok")
expect("getOrganization", OrganizationApi(client).get_organization, lambda data: data.name != "")
folder = expect(
    "createFolder",
    lambda: folders.create_folder(CreateFolder(name="Generated")),
    lambda data: not data.is_default,
)
expect("listFolders", lambda: folders.list_folders(limit=5), lambda data: data.count == len(data.data))
tag = expect("createTag", lambda: TagsApi(client).create_tag(CreateTag(name="typed")), lambda data: data.color != "")
made = expect(
    "createShortLink",
    lambda: links.create_short_link(
        CreateShortLink(
            destination=destination("https://example.com/generated"),
            folder_id=folder.id,
            external_id="generated-1",
            tags=["typed"],
            rules=[RuleDraft(priority=1, countries=["DE"], destination=destination("https://example.com/de"))],
        ),
        idempotency_key="generated-1",
    ),
    lambda data: data.rules[0].countries == ["DE"] and data.tags[0].id == tag.id and data.title is None,
)
expect("getShortLink", lambda: links.get_short_link(made.id), lambda data: data.slug == made.slug)
expect(
    "updateShortLink",
    lambda: links.update_short_link(made.id, UpdateShortLink(title="Typed", meta_tags=None), if_match="*"),
    lambda data: data.title == "Typed",
)
expect(
    "listShortLinks",
    lambda: links.list_short_links(tag_names=["typed", "other"], states=["active"], with_qr_code_template=True),
    lambda data: data.data[0].folder.id == folder.id and data.data[0].qr_code is None,
)
expect("countShortLinks", lambda: links.count_short_links(search="generated"), lambda data: data.count == 1)
expect("lookupShortLink", lambda: links.lookup_short_link(external_id="generated-1"), lambda data: data.id == made.id)
expect(
    "createShortLinks",
    lambda: links.create_short_links(
        CreateShortLinks(
            links=[
                CreateShortLink(destination=destination("ada@example.com", "mail")),
                CreateShortLink(destination=destination("no phone", "phone")),
            ]
        )
    ),
    lambda data: isinstance(data.results[0].actual_instance, ShortLinkRow)
    and isinstance(data.results[1].actual_instance, FailedRow),
)
expect(
    "updateShortLinks",
    lambda: links.update_short_links(
        UpdateShortLinks(links=[UpdateShortLinkRow(id=made.id, notes="By a generated client")])
    ),
    lambda data: isinstance(row := data.results[0].actual_instance, ShortLinkRow) and row.data.notes is not None,
)
expect(
    "upsertShortLink",
    lambda: links.upsert_short_link(
        UpsertShortLink(external_id="generated-1", destination=destination("https://example.com/two"))
    ),
    lambda data: data.destination.value == "https://example.com/two",
)
expect(
    "drawShortLinkQrCode",
    lambda: links.draw_short_link_qr_code(made.id, format="png", size=300),
    lambda picture: picture.startswith(b"\x89PNG"),
)
expect("exportShortLinks", lambda: links.export_short_links(bom=False), lambda csv: "generated-1" in csv)
expect(
    "importShortLinks",
    lambda: links.import_short_links(("links.csv", b"destination,slug\nhttps://example.com/row,typed-row\n")),
    lambda data: data.finished_at is None,
)
logo = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
expect("uploadQrCodeImage", lambda: files.upload_qr_code_image(("logo.svg", logo)), lambda data: data.size > 0)
expect("listFiles", lambda: files.list_files(kind="qr-code"), lambda data: data.count == 1)
expect(
    "getStatsOverview",
    lambda: StatisticsApi(client).get_stats_overview("country", timezone="Europe/Berlin"),
    lambda data: data.total_clicks == 0,
)
webhook = expect(
    "createWebhook",
    lambda: webhooks.create_webhook(CreateWebhook(url="https://hooks.example.com/waymark", events=["link.created"])),
    lambda data: data.secret.startswith("whsec_") and data.disabled_reason is None,
)
expect("getWebhook", lambda: webhooks.get_webhook(webhook.id), lambda data: data.events == ["link.created"])
expect(
    "createDomain",
    lambda: DomainsApi(client).create_domain(CreateDomain(domain="typed.example.com")),
    lambda data: len(data.dns.records) > 0 and not data.is_verified,
)
expect("deleteShortLink", lambda: links.delete_short_link(made.id), lambda data: data.row_count == 1)
try:
    links.get_short_link(made.id)
    raise SystemExit("failed getShortLink: a deleted link is read")
except NotFoundException as error:
    assert error.data is not None and error.data.code == "NOT_FOUND"
    print("ok getShortLink")
