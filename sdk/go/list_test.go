package waymark

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tags answers seven tags, or five events, a page at a time.
func tags(writer http.ResponseWriter, asked *http.Request) {
	query := asked.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	start, _ := strconv.Atoi(query.Get("cursor"))
	isCursor := asked.URL.Path == "/tag/list"
	if !isCursor {
		page, _ := strconv.Atoi(query.Get("page"))
		start = page * limit
	}
	var names []string
	for index := start; index < min(7, start+limit); index++ {
		names = append(names, `{"name":"`+strconv.Itoa(index)+`"}`)
	}
	next := ""
	if isCursor {
		next = `,"nextCursor":null`
		if start+limit < 7 {
			next = `,"nextCursor":"` + strconv.Itoa(start+limit) + `"`
		}
	}
	answer(200, `{"count":7,"data":[`+strings.Join(names, ",")+`]`+next+`}`)(writer, asked)
}

func addresses(calls []sent) []string {
	var list []string
	for _, one := range calls {
		list = append(list, one.address)
	}
	return list
}

func TestPageIsReadAsTheQueryAsks(t *testing.T) {
	client, calls := answering(t, tags)
	page, err := client.Tags.List(ListTagsQuery{Limit: 2, Page: 1, WithCounts: Set(false)}).Page(t.Context())
	if err != nil || page.Count != 7 || len(page.Data) != 2 || *page.NextCursor != "2" {
		t.Fatal(page, err)
	}
	if got := addresses(calls()); !slices.Equal(got, []string{"/tag/list?limit=2&page=1&withCounts=false"}) {
		t.Error(got)
	}
}

func TestListIsFollowedByItsCursor(t *testing.T) {
	client, calls := answering(t, tags)
	var names []string
	for tag, err := range client.Tags.List(ListTagsQuery{Limit: 3}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tag.Name)
	}
	if got := strings.Join(names, ""); got != "0123456" {
		t.Error(got)
	}
	want := []string{"/tag/list?limit=3", "/tag/list?cursor=3&limit=3", "/tag/list?cursor=6&limit=3"}
	if got := addresses(calls()); !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestListIsFollowedByItsNumberWhereItHasNoCursor(t *testing.T) {
	client, calls := answering(t, tags)
	var sizes []int
	for page, err := range client.UTMTemplates.List(ListUTMTemplatesQuery{Limit: 4}).Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(page.Data))
	}
	want := []string{"/utm-template/list?limit=4", "/utm-template/list?limit=4&page=1"}
	if got := addresses(calls()); !slices.Equal(sizes, []int{4, 3}) || !slices.Equal(got, want) {
		t.Error(sizes, got)
	}
}

func TestLoopThatIsLeftReadsNoFurtherPage(t *testing.T) {
	client, calls := answering(t, tags)
	for tag := range client.Tags.List(ListTagsQuery{Limit: 3}).All(t.Context()) {
		if tag.Name == "1" {
			break
		}
	}
	client.Tags.List(ListTagsQuery{})
	if len(calls()) != 1 {
		t.Error(calls())
	}
}

func TestListWithoutALimitReadsTheLargestPages(t *testing.T) {
	client, calls := answering(t, answer(200, `{"data":[],"nextCursor":null}`))
	for range client.Stats.ListClicks(ListClicksQuery{Country: []string{"DE", "FR"}}).All(t.Context()) {
		t.Error("there is no click")
	}
	if got := addresses(calls()); !slices.Equal(got, []string{"/stats/clicks?country=DE&country=FR&limit=1000"}) {
		t.Error(got)
	}
}

func TestListEndsAfterAnError(t *testing.T) {
	client, calls := answering(t, answer(403, `{"code":"FORBIDDEN","message":"No.","requestId":"1"}`))
	var failures []error
	for _, err := range client.Tags.List(ListTagsQuery{}).All(t.Context()) {
		failures = append(failures, err)
	}
	if len(failures) != 1 || !errors.Is(failures[0], ErrForbidden) || len(calls()) != 1 {
		t.Error(failures, calls())
	}
}

func TestEventsAreReadUntilTheLogHasNoMore(t *testing.T) {
	client, calls := answering(t, answer(200, `{"data":[{"id":"a","type":"link.clicked","createdAt":"2026-03-14T15:09:26.535Z",
		"data":{"link":{"slug":"spring"},"click":{"country":"DE"}}}],"nextCursor":"end","hasMore":false}`))
	var slugs []string
	for event, err := range client.Events.List(ListEventsQuery{}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := event.Data.(LinkClicked); ok {
			slugs = append(slugs, data.Link.Slug+*data.Click.Country)
		}
	}
	if !slices.Equal(slugs, []string{"springDE"}) || len(calls()) != 1 {
		t.Error(slugs, calls())
	}
}
