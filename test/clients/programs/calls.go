// Calls an API by the generated Go client, and prints `ok <operation>` for each call.
package main

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"example.com/waymark/waymark"
)

// expect notes a call; it ends the program where the status or the content of the answer is not the expected one.
func expect(operation string, err error, response *http.Response, status int, isRight func() bool) {
	if err != nil {
		fail(operation, err)
	}
	if response.StatusCode != status {
		fail(operation, response.Status)
	}
	if !isRight() {
		fail(operation, "another content than expected")
	}
	fmt.Println("ok", operation)
}

func fail(operation string, reason any) {
	fmt.Printf("failed %s: %v\n", operation, reason)
	os.Exit(1)
}

func to[T any](value T) *T { return &value }

// form writes one file as multipart/form-data.
func form(name, content string) (string, *bytes.Buffer) {
	body := &bytes.Buffer{}
	writer := multipart.NewWriter(body)
	part, err := writer.CreateFormFile("file", name)
	if err != nil {
		fail("form", err)
	}
	_, _ = part.Write([]byte(content))
	_ = writer.Close()
	return writer.FormDataContentType(), body
}

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("KEY"))
		return nil
	}
	client, err := waymark.NewClientWithResponses(os.Getenv("API"), waymark.WithRequestEditorFn(withKey))
	if err != nil {
		fail("client", err)
	}

	live, err := client.CheckLivenessWithResponse(ctx)
	expect("checkLiveness", err, live.HTTPResponse, 200, func() bool { return live.JSON200 != nil })
	organization, err := client.GetOrganizationWithResponse(ctx)
	expect("getOrganization", err, organization.HTTPResponse, 200, func() bool { return organization.JSON200.Name != "" })
	folder, err := client.CreateFolderWithResponse(ctx, nil, waymark.CreateFolder{Name: "Generated"})
	expect("createFolder", err, folder.HTTPResponse, 201, func() bool { return folder.JSON201.Name == "Generated" })
	folders, err := client.ListFoldersWithResponse(ctx, &waymark.ListFoldersParams{Limit: to(5)})
	expect("listFolders", err, folders.HTTPResponse, 200, func() bool { return folders.JSON200.Count == len(folders.JSON200.Data) })
	tag, err := client.CreateTagWithResponse(ctx, nil, waymark.CreateTag{Name: "typed"})
	expect("createTag", err, tag.HTTPResponse, 201, func() bool { return tag.JSON201.Color != "" })

	destination := waymark.DestinationDraft{Type: waymark.DestinationDraftTypeLink, Value: "https://example.com/generated"}
	made, err := client.CreateShortLinkWithResponse(ctx,
		&waymark.CreateShortLinkParams{IdempotencyKey: to("generated-1")},
		waymark.CreateShortLink{
			Destination: destination,
			FolderId:    &folder.JSON201.Id,
			ExternalId:  to("generated-1"),
			Rules: &[]waymark.RuleDraft{{
				Priority:    1,
				Countries:   &[]string{"DE"},
				Destination: destination,
			}},
		})
	expect("createShortLink", err, made.HTTPResponse, 201, func() bool {
		return (*made.JSON201.Rules[0].Countries)[0] == "DE" && made.JSON201.Title == nil
	})
	id := made.JSON201.Id
	read, err := client.GetShortLinkWithResponse(ctx, id)
	expect("getShortLink", err, read.HTTPResponse, 200, func() bool { return read.JSON200.Slug == made.JSON201.Slug })
	changed, err := client.UpdateShortLinkWithResponse(ctx, id,
		&waymark.UpdateShortLinkParams{IfMatch: to("*")}, waymark.UpdateShortLink{Title: to("Typed")})
	expect("updateShortLink", err, changed.HTTPResponse, 200, func() bool { return *changed.JSON200.Title == "Typed" })
	page, err := client.ListShortLinksWithResponse(ctx, &waymark.ListShortLinksParams{
		Search: to("generated"), WithQrCodeTemplate: to(true),
	})
	expect("listShortLinks", err, page.HTTPResponse, 200, func() bool { return page.JSON200.Data[0].Id == id })
	count, err := client.CountShortLinksWithResponse(ctx, &waymark.CountShortLinksParams{Search: to("generated")})
	expect("countShortLinks", err, count.HTTPResponse, 200, func() bool { return count.JSON200.Count == 1 })
	found, err := client.LookupShortLinkWithResponse(ctx, &waymark.LookupShortLinkParams{ExternalId: to("generated-1")})
	expect("lookupShortLink", err, found.HTTPResponse, 200, func() bool { return found.JSON200.Id == id })
	bulk, err := client.CreateShortLinksWithResponse(ctx, nil, waymark.CreateShortLinks{Links: []waymark.CreateShortLink{
		{Destination: waymark.DestinationDraft{Type: waymark.DestinationDraftTypeMail, Value: "ada@example.com"}},
		{Destination: waymark.DestinationDraft{Type: waymark.DestinationDraftTypePhone, Value: "no phone"}},
	}})
	expect("createShortLinks", err, bulk.HTTPResponse, 201, func() bool {
		done, err := bulk.JSON201.Results[0].AsShortLinkRow()
		failed, other := bulk.JSON201.Results[1].AsFailedRow()
		return err == nil && other == nil && done.Status == 201 && failed.Status == 400
	})
	rows, err := client.UpdateShortLinksWithResponse(ctx, nil, waymark.UpdateShortLinks{
		Links: &[]waymark.UpdateShortLinkRow{{Id: id, Notes: to("By a generated client")}},
	})
	expect("updateShortLinks", err, rows.HTTPResponse, 200, func() bool {
		row, err := rows.JSON200.Results[0].AsShortLinkRow()
		return err == nil && row.Data.Notes != nil
	})
	upserted, err := client.UpsertShortLinkWithResponse(ctx, nil, waymark.UpsertShortLink{
		ExternalId:  to("generated-1"),
		Destination: waymark.DestinationDraft{Type: waymark.DestinationDraftTypeLink, Value: "https://example.com/two"},
	})
	expect("upsertShortLink", err, upserted.HTTPResponse, 200, func() bool {
		return upserted.JSON200.Destination.Value == "https://example.com/two"
	})
	picture, err := client.DrawShortLinkQrCodeWithResponse(ctx, id, &waymark.DrawShortLinkQrCodeParams{
		Format: to(waymark.DrawShortLinkQrCodeParamsFormatPng), Size: to(300),
	})
	expect("drawShortLinkQrCode", err, picture.HTTPResponse, 200, func() bool {
		return bytes.HasPrefix(picture.Body, []byte("\x89PNG"))
	})
	exported, err := client.ExportShortLinksWithResponse(ctx, nil)
	expect("exportShortLinks", err, exported.HTTPResponse, 200, func() bool {
		return strings.Contains(string(exported.Body), "generated-1")
	})
	contentType, body := form("links.csv", "destination,slug\nhttps://example.com/row,typed-row\n")
	started, err := client.ImportShortLinksWithBodyWithResponse(ctx, nil, contentType, body)
	expect("importShortLinks", err, started.HTTPResponse, 201, func() bool { return started.JSON201.FinishedAt == nil })
	contentType, body = form("logo.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`)
	uploaded, err := client.UploadQrCodeImageWithBodyWithResponse(ctx, nil, contentType, body)
	expect("uploadQrCodeImage", err, uploaded.HTTPResponse, 201, func() bool { return uploaded.JSON201.Size > 0 })
	files, err := client.ListFilesWithResponse(ctx, nil)
	expect("listFiles", err, files.HTTPResponse, 200, func() bool { return files.JSON200.Data[0].Id == uploaded.JSON201.Id })
	stats, err := client.GetStatsOverviewWithResponse(ctx, &waymark.GetStatsOverviewParams{
		GroupBy: waymark.GetStatsOverviewParamsGroupByCountry, Timezone: to("Europe/Berlin"),
	})
	expect("getStatsOverview", err, stats.HTTPResponse, 200, func() bool { return stats.JSON200.TotalClicks == 0 })
	webhook, err := client.CreateWebhookWithResponse(ctx, nil, waymark.CreateWebhook{
		Url:    "https://hooks.example.com/waymark",
		Events: []waymark.CreateWebhookEvents{waymark.CreateWebhookEventsLinkCreated},
	})
	expect("createWebhook", err, webhook.HTTPResponse, 201, func() bool {
		return strings.HasPrefix(webhook.JSON201.Secret, "whsec_") && webhook.JSON201.DisabledReason == nil
	})
	hook, err := client.GetWebhookWithResponse(ctx, webhook.JSON201.Id)
	expect("getWebhook", err, hook.HTTPResponse, 200, func() bool { return len(hook.JSON200.Events) == 1 })
	domain, err := client.CreateDomainWithResponse(ctx, nil, waymark.CreateDomain{Domain: "typed.example.com"})
	expect("createDomain", err, domain.HTTPResponse, 201, func() bool {
		return len(domain.JSON201.Dns.Records) > 0 && !domain.JSON201.IsVerified
	})
	deleted, err := client.DeleteShortLinkWithResponse(ctx, id, nil)
	expect("deleteShortLink", err, deleted.HTTPResponse, 200, func() bool { return deleted.JSON200.RowCount == 1 })
	missing, err := client.GetShortLinkWithResponse(ctx, id)
	expect("getShortLink", err, missing.HTTPResponse, 404, func() bool { return missing.JSON404.Code == waymark.ApiErrorCodeNOTFOUND })
}
