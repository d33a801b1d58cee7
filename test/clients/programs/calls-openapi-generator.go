// Calls an API by the Go client of openapi-generator, and prints `ok <operation>` for each call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"example.com/waymark/waymark"
)

// expect notes a call; it ends the program where the status or the content of the answer is not the expected one.
func expect(operation string, err error, response *http.Response, status int, isRight func() bool) {
	if err != nil {
		var refused *waymark.GenericOpenAPIError
		if errors.As(err, &refused) {
			fail(operation, fmt.Sprintf("%v: %s", err, refused.Body()))
		}
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

func text(value string) waymark.NullableString { return *waymark.NewNullableString(&value) }

// file writes a file, which the client opens itself.
func file(name, content string) *os.File {
	path := filepath.Join(os.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		fail("file", err)
	}
	opened, err := os.Open(path)
	if err != nil {
		fail("file", err)
	}
	return opened
}

func main() {
	configuration := waymark.NewConfiguration()
	configuration.Servers = waymark.ServerConfigurations{{URL: os.Getenv("API")}}
	client := waymark.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), waymark.ContextAPIKeys,
		map[string]waymark.APIKey{"apiKey": {Key: os.Getenv("KEY")}})
	links := client.ShortLinksAPI

	live, response, err := client.HealthAPI.CheckLiveness(ctx).Execute()
	expect("checkLiveness", err, response, 200, func() bool { return live.Status == "ok" })
	organization, response, err := client.OrganizationAPI.GetOrganization(ctx).Execute()
	expect("getOrganization", err, response, 200, func() bool { return organization.Name != "" })
	folder, response, err := client.FoldersAPI.CreateFolder(ctx).CreateFolder(*waymark.NewCreateFolder("Generated")).Execute()
	expect("createFolder", err, response, 201, func() bool { return !folder.IsDefault })
	folders, response, err := client.FoldersAPI.ListFolders(ctx).Limit(5).Execute()
	expect("listFolders", err, response, 200, func() bool { return int(folders.Count) == len(folders.Data) })
	tag, response, err := client.TagsAPI.CreateTag(ctx).CreateTag(*waymark.NewCreateTag("typed")).Execute()
	expect("createTag", err, response, 201, func() bool { return tag.Color != "" })

	draft := waymark.NewCreateShortLink(*waymark.NewDestinationDraft("link", "https://example.com/generated"))
	draft.SetFolderId(folder.Id)
	draft.SetExternalId("generated-1")
	draft.SetTags([]string{"typed"})
	rule := waymark.NewRuleDraft(1, *waymark.NewDestinationDraft("link", "https://example.com/de"))
	rule.SetCountries([]string{"DE"})
	draft.SetRules([]waymark.RuleDraft{*rule})
	made, response, err := links.CreateShortLink(ctx).IdempotencyKey("generated-1").CreateShortLink(*draft).Execute()
	expect("createShortLink", err, response, 201, func() bool {
		return made.Rules[0].Countries[0] == "DE" && made.Tags[0].Id == tag.Id && made.Title.Get() == nil
	})
	read, response, err := links.GetShortLink(ctx, made.Id).Execute()
	expect("getShortLink", err, response, 200, func() bool { return read.Slug == made.Slug })
	change := waymark.NewUpdateShortLink()
	change.SetTitle("Typed")
	change.SetMetaTagsNil()
	changed, response, err := links.UpdateShortLink(ctx, made.Id).IfMatch("*").UpdateShortLink(*change).Execute()
	expect("updateShortLink", err, response, 200, func() bool { return *changed.Title.Get() == "Typed" })
	page, response, err := links.ListShortLinks(ctx).TagNames([]string{"typed", "other"}).States([]string{"active"}).
		WithQrCodeTemplate(true).Execute()
	expect("listShortLinks", err, response, 200, func() bool { return page.Data[0].Folder.Id == folder.Id })
	count, response, err := links.CountShortLinks(ctx).Search("generated").Execute()
	expect("countShortLinks", err, response, 200, func() bool { return count.Count == 1 })
	found, response, err := links.LookupShortLink(ctx).ExternalId("generated-1").Execute()
	expect("lookupShortLink", err, response, 200, func() bool { return found.Id == made.Id })
	bulk, response, err := links.CreateShortLinks(ctx).CreateShortLinks(*waymark.NewCreateShortLinks([]waymark.CreateShortLink{
		*waymark.NewCreateShortLink(*waymark.NewDestinationDraft("mail", "ada@example.com")),
		*waymark.NewCreateShortLink(*waymark.NewDestinationDraft("phone", "no phone")),
	})).Execute()
	expect("createShortLinks", err, response, 201, func() bool {
		return bulk.Results[0].ShortLinkRow.Status == 201 && bulk.Results[1].FailedRow.Status == 400
	})
	row := waymark.NewUpdateShortLinkRow(made.Id)
	row.Notes = text("By a generated client")
	changes := waymark.NewUpdateShortLinks()
	changes.SetLinks([]waymark.UpdateShortLinkRow{*row})
	rows, response, err := links.UpdateShortLinks(ctx).UpdateShortLinks(*changes).Execute()
	expect("updateShortLinks", err, response, 200, func() bool { return rows.Results[0].ShortLinkRow.Data.Notes.Get() != nil })
	upsert := waymark.NewUpsertShortLink(*waymark.NewDestinationDraft("link", "https://example.com/two"))
	upsert.ExternalId = text("generated-1")
	upserted, response, err := links.UpsertShortLink(ctx).UpsertShortLink(*upsert).Execute()
	expect("upsertShortLink", err, response, 200, func() bool {
		return upserted.Destination.Value == "https://example.com/two"
	})
	picture, response, err := links.DrawShortLinkQrCode(ctx, made.Id).Format("png").Size(300).Execute()
	expect("drawShortLinkQrCode", err, response, 200, func() bool {
		content, err := io.ReadAll(picture)
		return err == nil && strings.HasPrefix(string(content), "\x89PNG")
	})
	exported, response, err := links.ExportShortLinks(ctx).Execute()
	expect("exportShortLinks", err, response, 200, func() bool { return strings.Contains(exported, "generated-1") })
	csv := file("links.csv", "destination,slug\nhttps://example.com/row,typed-row\n")
	started, response, err := links.ImportShortLinks(ctx).File(csv).Execute()
	expect("importShortLinks", err, response, 201, func() bool { return !started.FinishedAt.IsSet() || started.FinishedAt.Get() == nil })
	logo := file("logo.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`)
	uploaded, response, err := client.FilesAPI.UploadQrCodeImage(ctx).File(logo).Execute()
	expect("uploadQrCodeImage", err, response, 201, func() bool { return uploaded.Size > 0 })
	files, response, err := client.FilesAPI.ListFiles(ctx).Kind("qr-code").Execute()
	expect("listFiles", err, response, 200, func() bool { return files.Data[0].Id == uploaded.Id })
	stats, response, err := client.StatisticsAPI.GetStatsOverview(ctx).GroupBy("country").Timezone("Europe/Berlin").Execute()
	expect("getStatsOverview", err, response, 200, func() bool { return stats.TotalClicks == 0 })
	webhook, response, err := client.WebhooksAPI.CreateWebhook(ctx).
		CreateWebhook(*waymark.NewCreateWebhook("https://hooks.example.com/waymark", []string{"link.created"})).Execute()
	expect("createWebhook", err, response, 201, func() bool {
		return strings.HasPrefix(webhook.Secret, "whsec_") && webhook.DisabledReason.Get() == nil
	})
	hook, response, err := client.WebhooksAPI.GetWebhook(ctx, webhook.Id).Execute()
	expect("getWebhook", err, response, 200, func() bool { return len(hook.Events) == 1 })
	domain, response, err := client.DomainsAPI.CreateDomain(ctx).CreateDomain(*waymark.NewCreateDomain("typed.example.com")).Execute()
	expect("createDomain", err, response, 201, func() bool { return len(domain.Dns.Records) > 0 && !domain.IsVerified })
	deleted, response, err := links.DeleteShortLink(ctx, made.Id).Execute()
	expect("deleteShortLink", err, response, 200, func() bool { return deleted.RowCount == 1 })
	_, response, err = links.GetShortLink(ctx, made.Id).Execute()
	var refused *waymark.GenericOpenAPIError
	if !errors.As(err, &refused) {
		fail("getShortLink", err)
	}
	expect("getShortLink", nil, response, 404, func() bool {
		problem, isProblem := refused.Model().(waymark.ApiError)
		return isProblem && problem.Code == "NOT_FOUND"
	})
}
