"""Calls an API by the generated Python client, and prints `ok <operation>` for each call."""

import os
from io import BytesIO
from typing import Any, TypeVar

from waymark import Client
from waymark.api.domains import create_domain
from waymark.api.files import list_files, upload_qr_code_image
from waymark.api.folders import create_folder, list_folders
from waymark.api.health import check_liveness
from waymark.api.organization import get_organization
from waymark.api.short_links import (
    count_short_links,
    create_short_link,
    create_short_links,
    delete_short_link,
    draw_short_link_qr_code,
    export_short_links,
    get_short_link,
    import_short_links,
    list_short_links,
    lookup_short_link,
    update_short_link,
    update_short_links,
    upsert_short_link,
)
from waymark.api.statistics import get_stats_overview
from waymark.api.tags import create_tag
from waymark.api.webhooks import create_webhook, get_webhook
from waymark.models import (
    ApiError,
    ApiErrorCode,
    ChangedShortLink,
    CreateDomain,
    CreatedDomain,
    CreateFolder,
    CreateShortLink,
    CreateShortLinks,
    CreateTag,
    CreateWebhook,
    CreateWebhookEventsItem,
    DrawShortLinkQrCodeFormat,
    FailedRow,
    Folder,
    FolderPage,
    GetStatsOverviewGroupBy,
    Import,
    ImportShortLinksBody,
    ImportShortLinksBodyFormat,
    ListFilesKind,
    ListShortLinksStatesItem,
    DestinationDraft,
    DestinationDraftType,
    RuleDraft,
    Organization,
    ShortLink,
    ShortLinkPage,
    ShortLinkRow,
    StatsOverview,
    StoredFile,
    StoredFilePage,
    Tag,
    UpdateShortLink,
    UpdateShortLinkRow,
    UpdateShortLinks,
    UploadQrCodeImageBody,
    UpsertShortLink,
    Webhook,
    WebhookWithSecret,
)
from waymark.types import File, Response

Data = TypeVar("Data")

client = Client(
    base_url=os.environ["API"], headers={"x-api-key": os.environ["KEY"]}, raise_on_unexpected_status=True
)


def expect(operation: str, response: Response[Any], status: int, kind: type[Data]) -> Data:
    """Notes a call. Raises where status or type of the answer are not the expected ones."""
    if response.status_code != status or not isinstance(response.parsed, kind):
        raise SystemExit(f"failed {operation}: {response.status_code} {response.content[:500]!r}")
    print(f"ok {operation}", flush=True)
    return response.parsed


def destination(value: str, kind: DestinationDraftType = DestinationDraftType.LINK) -> DestinationDraft:
    return DestinationDraft(type_=kind, value=value)


response: Response[Any] = check_liveness.sync_detailed(client=client)
assert response.status_code == 200 and b"ok" in response.content
print("ok checkLiveness")
organization = expect("getOrganization", get_organization.sync_detailed(client=client), 200, Organization)
assert organization.name
folder = expect(
    "createFolder", create_folder.sync_detailed(client=client, body=CreateFolder(name="Generated")), 201, Folder
)
folders = expect("listFolders", list_folders.sync_detailed(client=client, limit=5), 200, FolderPage)
assert folders.count == len(folders.data)
tag = expect("createTag", create_tag.sync_detailed(client=client, body=CreateTag(name="typed")), 201, Tag)
link = expect(
    "createShortLink",
    create_short_link.sync_detailed(
        client=client,
        body=CreateShortLink(
            destination=destination("https://example.com/generated"),
            folder_id=folder.id,
            external_id="generated-1",
            tags=["typed"],
            rules=[RuleDraft(priority=1, countries=["DE"], destination=destination("https://example.com/de"))],
        ),
        idempotency_key="generated-1",
    ),
    201,
    ChangedShortLink,
)
assert link.rules[0].countries == ["DE"] and link.tags[0].id == tag.id and link.title is None
read = expect("getShortLink", get_short_link.sync_detailed(link.id, client=client), 200, ShortLink)
assert read.slug == link.slug and read.created_at.tzinfo is not None
changed = expect(
    "updateShortLink",
    update_short_link.sync_detailed(
        link.id, client=client, body=UpdateShortLink(title="Typed", meta_tags=None), if_match="*"
    ),
    200,
    ChangedShortLink,
)
assert changed.title == "Typed"
page = expect(
    "listShortLinks",
    list_short_links.sync_detailed(client=client, tag_names=["typed"], states=[ListShortLinksStatesItem.ACTIVE], with_qr_code_template=True),
    200,
    ShortLinkPage,
)
assert page.data[0].folder.id == folder.id and page.data[0].qr_code is None
counted = count_short_links.sync_detailed(client=client, search="generated")
assert counted.status_code == 200 and counted.content == b'{"count":1}'
print("ok countShortLinks")
found = expect(
    "lookupShortLink", lookup_short_link.sync_detailed(client=client, external_id="generated-1"), 200, ShortLink
)
assert found.id == link.id
bulk = create_short_links.sync(
    client=client,
    body=CreateShortLinks(
        links=[
            CreateShortLink(destination=destination("ada@example.com", DestinationDraftType.MAIL)),
            CreateShortLink(destination=destination("no phone", DestinationDraftType.PHONE)),
        ]
    ),
)
assert bulk is not None and not isinstance(bulk, ApiError), bulk
assert isinstance(bulk.results[0], ShortLinkRow) and isinstance(bulk.results[1], FailedRow)
print("ok createShortLinks")
rows = update_short_links.sync(
    client=client, body=UpdateShortLinks(links=[UpdateShortLinkRow(id=link.id, notes="By a generated client")])
)
assert rows is not None and not isinstance(rows, ApiError), rows
assert isinstance(rows.results[0], ShortLinkRow) and rows.results[0].data.notes is not None
print("ok updateShortLinks")
upserted = expect(
    "upsertShortLink",
    upsert_short_link.sync_detailed(
        client=client,
        body=UpsertShortLink(external_id="generated-1", destination=destination("https://example.com/two")),
    ),
    200,
    ChangedShortLink,
)
assert upserted.destination.value == "https://example.com/two"
picture = expect(
    "drawShortLinkQrCode",
    draw_short_link_qr_code.sync_detailed(link.id, client=client, format_=DrawShortLinkQrCodeFormat.PNG, size=300),
    200,
    File,
)
assert picture.payload.read(4) == b"\x89PNG"
csv = expect("exportShortLinks", export_short_links.sync_detailed(client=client, bom=False), 200, str)
assert "generated-1" in csv
started = expect(
    "importShortLinks",
    import_short_links.sync_detailed(
        client=client,
        body=ImportShortLinksBody(
            file=File(BytesIO(b"destination,slug\nhttps://example.com/row,typed-row\n"), "links.csv", "text/csv"),
            format_=ImportShortLinksBodyFormat.CSV,
        ),
    ),
    201,
    Import,
)
assert started.finished_at is None
logo = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
uploaded = expect(
    "uploadQrCodeImage",
    upload_qr_code_image.sync_detailed(
        client=client, body=UploadQrCodeImageBody(file=File(BytesIO(logo), "logo.svg", "image/svg+xml"))
    ),
    201,
    StoredFile,
)
files = expect(
    "listFiles", list_files.sync_detailed(client=client, kind=ListFilesKind.QR_CODE), 200, StoredFilePage
)
assert files.data[0].id == uploaded.id
stats = expect(
    "getStatsOverview",
    get_stats_overview.sync_detailed(
        client=client, group_by=GetStatsOverviewGroupBy.COUNTRY, timezone="Europe/Berlin"
    ),
    200,
    StatsOverview,
)
assert stats.total_clicks == 0
webhook = expect(
    "createWebhook",
    create_webhook.sync_detailed(
        client=client,
        body=CreateWebhook(
            url="https://hooks.example.com/waymark", events=[CreateWebhookEventsItem.LINK_CREATED]
        ),
    ),
    201,
    WebhookWithSecret,
)
assert webhook.secret.startswith("whsec_") and webhook.disabled_reason is None
expect("getWebhook", get_webhook.sync_detailed(webhook.id, client=client), 200, Webhook)
domain = expect(
    "createDomain",
    create_domain.sync_detailed(client=client, body=CreateDomain(domain="typed.example.com")),
    201,
    CreatedDomain,
)
assert domain.dns.records and not domain.is_verified
deleted = delete_short_link.sync_detailed(link.id, client=client)
assert deleted.status_code == 200
print("ok deleteShortLink")
missing = expect("getShortLink", get_short_link.sync_detailed(link.id, client=client), 404, ApiError)
assert missing.code == ApiErrorCode.NOT_FOUND
