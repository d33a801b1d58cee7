// Calls an API by the client that ogen generates, and prints `ok <operation>` for each call.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/waymark/waymark"
	"github.com/ogen-go/ogen/ogenerrors"

	ht "github.com/ogen-go/ogen/http"
)

// key is the caller's API key; without a session.
type key string

func (k key) ApiKey(context.Context, waymark.OperationName) (waymark.ApiKey, error) {
	return waymark.ApiKey{APIKey: string(k)}, nil
}

func (key) Session(context.Context, waymark.OperationName) (waymark.Session, error) {
	return waymark.Session{}, ogenerrors.ErrSkipClientSecurity
}

// expect notes a call and returns its answer; it ends the program where type or content of the answer are not the expected ones.
func expect[T any, R any](operation string, answer R, err error, isRight func(data T) bool) T {
	if err != nil {
		fail(operation, err)
	}
	data, isExpected := any(answer).(T)
	if !isExpected || !isRight(data) {
		fail(operation, fmt.Sprintf("%T %+v", answer, answer))
	}
	fmt.Println("ok", operation)
	return data
}

func fail(operation string, reason any) {
	fmt.Printf("failed %s: %v\n", operation, reason)
	os.Exit(1)
}

func link(value string) waymark.DestinationDraft {
	return waymark.DestinationDraft{Type: waymark.DestinationDraftTypeLink, Value: value}
}

func read(part io.Reader) string {
	content, err := io.ReadAll(part)
	if err != nil {
		fail("read", err)
	}
	return string(content)
}

func main() {
	ctx := context.Background()
	client, err := waymark.NewClient(os.Getenv("API"), key(os.Getenv("KEY")))
	if err != nil {
		fail("client", err)
	}

	live, err := client.CheckLiveness(ctx)
	expect("checkLiveness", live, err, func(data *waymark.CheckLivenessOKHeaders) bool { return data.Response.Status == "ok" })
	organization, err := client.GetOrganization(ctx)
	expect("getOrganization", organization, err, func(data *waymark.OrganizationHeaders) bool { return data.Response.Name != "" })
	createdFolder, err := client.CreateFolder(ctx, &waymark.CreateFolder{Name: "Generated"}, waymark.CreateFolderParams{})
	folder := expect("createFolder", createdFolder, err, func(data *waymark.FolderHeaders) bool { return !data.Response.IsDefault }).Response
	folders, err := client.ListFolders(ctx, waymark.ListFoldersParams{Limit: waymark.NewOptInt(5)})
	expect("listFolders", folders, err, func(data *waymark.FolderPageHeaders) bool {
		return data.Response.Count == len(data.Response.Data) && data.Response.NextCursor.Null
	})
	createdTag, err := client.CreateTag(ctx, &waymark.CreateTag{Name: "typed"}, waymark.CreateTagParams{})
	tag := expect("createTag", createdTag, err, func(data *waymark.TagHeaders) bool { return data.Response.Color != "" }).Response
	created, err := client.CreateShortLink(ctx, &waymark.CreateShortLink{
		Destination: link("https://example.com/generated"),
		FolderId:    waymark.NewOptNilUUID(folder.ID),
		ExternalId:  waymark.NewOptNilString("generated-1"),
		Tags:        waymark.NewOptNilStringArray([]string{"typed"}),
		Rules: waymark.NewOptNilRuleDraftArray([]waymark.RuleDraft{{
			Priority:    1,
			Countries:   waymark.NewOptNilStringArray([]string{"DE"}),
			Destination: link("https://example.com/de"),
		}}),
	}, waymark.CreateShortLinkParams{IdempotencyKey: waymark.NewOptString("generated-1")})
	made := expect("createShortLink", created, err, func(data *waymark.ChangedShortLinkHeaders) bool {
		answer := data.Response
		return answer.Rules[0].Countries[0] == "DE" && answer.Tags[0].ID == tag.ID && answer.Title.Null
	}).Response
	one, err := client.GetShortLink(ctx, waymark.GetShortLinkParams{ID: made.ID})
	expect("getShortLink", one, err, func(data *waymark.ShortLinkHeaders) bool { return data.Response.Slug == made.Slug })
	metaTags := waymark.OptNilUpdateShortLinkMetaTags{}
	metaTags.SetToNull()
	changed, err := client.UpdateShortLink(ctx,
		&waymark.UpdateShortLink{Title: waymark.NewOptNilString("Typed"), MetaTags: metaTags},
		waymark.UpdateShortLinkParams{ID: made.ID, IfMatch: waymark.NewOptString("*")})
	expect("updateShortLink", changed, err, func(data *waymark.UpdateShortLinkOKHeaders) bool {
		return data.Response.Title.Value == "Typed"
	})
	page, err := client.ListShortLinks(ctx, waymark.ListShortLinksParams{
		TagNames:           []string{"typed", "other"},
		States:             []waymark.ListShortLinksStatesItem{waymark.ListShortLinksStatesItemActive},
		WithQrCodeTemplate: waymark.NewOptBool(true),
	})
	expect("listShortLinks", page, err, func(data *waymark.ShortLinkPageHeaders) bool {
		return data.Response.Data[0].Folder.ID == folder.ID
	})
	count, err := client.CountShortLinks(ctx, waymark.CountShortLinksParams{Search: waymark.NewOptString("generated")})
	expect("countShortLinks", count, err, func(data *waymark.CountShortLinksOKHeaders) bool { return data.Response.Count == 1 })
	found, err := client.LookupShortLink(ctx, waymark.LookupShortLinkParams{ExternalId: waymark.NewOptString("generated-1")})
	expect("lookupShortLink", found, err, func(data *waymark.ShortLinkHeaders) bool { return data.Response.ID == made.ID })
	bulk, err := client.CreateShortLinks(ctx, &waymark.CreateShortLinks{Links: []waymark.CreateShortLink{
		{Destination: waymark.DestinationDraft{Type: waymark.DestinationDraftTypeMail, Value: "ada@example.com"}},
		{Destination: waymark.DestinationDraft{Type: waymark.DestinationDraftTypePhone, Value: "no phone"}},
	}}, waymark.CreateShortLinksParams{})
	expect("createShortLinks", bulk, err, func(data *waymark.CreateShortLinksCreatedHeaders) bool {
		results := data.Response.Results
		return results[0].IsShortLinkRow() && results[1].IsFailedRow() && results[1].FailedRow.Status == 400
	})
	rows, err := client.UpdateShortLinks(ctx, &waymark.UpdateShortLinks{
		Links: waymark.NewOptNilUpdateShortLinkRowArray([]waymark.UpdateShortLinkRow{
			{ID: made.ID, Notes: waymark.NewOptNilString("By a generated client")},
		}),
	}, waymark.UpdateShortLinksParams{})
	expect("updateShortLinks", rows, err, func(data *waymark.UpdateShortLinksOKHeaders) bool {
		return data.Response.Results[0].ShortLinkRow.Data.Notes.Value == "By a generated client"
	})
	upserted, err := client.UpsertShortLink(ctx, &waymark.UpsertShortLink{
		ExternalId:  waymark.NewOptNilString("generated-1"),
		Destination: link("https://example.com/two"),
	}, waymark.UpsertShortLinkParams{})
	expect("upsertShortLink", upserted, err, func(data *waymark.UpsertShortLinkOK) bool {
		return data.Response.Destination.Value == "https://example.com/two"
	})
	picture, err := client.DrawShortLinkQrCode(ctx, waymark.DrawShortLinkQrCodeParams{
		ID:     made.ID,
		Format: waymark.NewOptDrawShortLinkQrCodeFormat(waymark.DrawShortLinkQrCodeFormatPNG),
		Size:   waymark.NewOptInt(300),
	})
	expect("drawShortLinkQrCode", picture, err, func(data *waymark.DrawShortLinkQrCodeOKImagePNGHeaders) bool {
		return strings.HasPrefix(read(data.Response), "\x89PNG")
	})
	exported, err := client.ExportShortLinks(ctx, waymark.ExportShortLinksParams{})
	expect("exportShortLinks", exported, err, func(data *waymark.ExportShortLinksOKHeaders) bool {
		return strings.Contains(read(data.Response), "generated-1")
	})
	file := func(name, content string) ht.MultipartFile {
		return ht.MultipartFile{Name: name, File: bytes.NewReader([]byte(content))}
	}
	started, err := client.ImportShortLinks(ctx, &waymark.ImportShortLinksReq{
		File: file("links.csv", "destination,slug\nhttps://example.com/row,typed-row\n"),
	}, waymark.ImportShortLinksParams{})
	expect("importShortLinks", started, err, func(data *waymark.ImportHeaders) bool { return data.Response.FinishedAt.Null })
	uploaded, err := client.UploadQrCodeImage(ctx, &waymark.UploadQrCodeImageReq{
		File: file("logo.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`),
	}, waymark.UploadQrCodeImageParams{})
	expect("uploadQrCodeImage", uploaded, err, func(data *waymark.StoredFileHeaders) bool { return data.Response.Size > 0 })
	files, err := client.ListFiles(ctx, waymark.ListFilesParams{Kind: waymark.NewOptListFilesKind(waymark.ListFilesKindQrCode)})
	expect("listFiles", files, err, func(data *waymark.StoredFilePageHeaders) bool { return data.Response.Count == 1 })
	stats, err := client.GetStatsOverview(ctx, waymark.GetStatsOverviewParams{
		GroupBy: waymark.GetStatsOverviewGroupByCountry, Timezone: waymark.NewOptString("Europe/Berlin"),
	})
	expect("getStatsOverview", stats, err, func(data *waymark.StatsOverviewHeaders) bool { return data.Response.TotalClicks == 0 })
	createdHook, err := client.CreateWebhook(ctx, &waymark.CreateWebhook{
		URL:    "https://hooks.example.com/waymark",
		Events: []waymark.CreateWebhookEventsItem{waymark.CreateWebhookEventsItemLinkCreated},
	}, waymark.CreateWebhookParams{})
	webhook := expect("createWebhook", createdHook, err, func(data *waymark.WebhookWithSecretHeaders) bool {
		return strings.HasPrefix(data.Response.Secret, "whsec_") && data.Response.DisabledReason.Null
	}).Response
	hook, err := client.GetWebhook(ctx, waymark.GetWebhookParams{ID: webhook.ID})
	expect("getWebhook", hook, err, func(data *waymark.WebhookHeaders) bool { return len(data.Response.Events) == 1 })
	domain, err := client.CreateDomain(ctx, &waymark.CreateDomain{Domain: "typed.example.com"}, waymark.CreateDomainParams{})
	expect("createDomain", domain, err, func(data *waymark.CreatedDomainHeaders) bool {
		return len(data.Response.DNS.Records) > 0 && !data.Response.IsVerified
	})
	deleted, err := client.DeleteShortLink(ctx, waymark.DeleteShortLinkParams{ID: made.ID})
	expect("deleteShortLink", deleted, err, func(data *waymark.DeleteShortLinkOKHeaders) bool { return data.Response.RowCount == 1 })
	missing, err := client.GetShortLink(ctx, waymark.GetShortLinkParams{ID: made.ID})
	expect("getShortLink", missing, err, func(data *waymark.GetShortLinkNotFound) bool {
		return data.Response.Code == waymark.ApiErrorCodeNOTFOUND
	})
}
