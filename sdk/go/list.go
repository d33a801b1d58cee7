package waymark

import (
	"context"
	"iter"
	"net/url"
	"strconv"
)

// Page is a part of a list.
type Page[Item any] struct {
	Data []Item `json:"data"`
	// Count is how many items there are on all pages; 0 where the list does not count them.
	Count int `json:"count"`
	// NextCursor continues the list, where it can be followed by cursor.
	NextCursor *string `json:"nextCursor"`
	// HasMore is nil where the list does not say it.
	HasMore *bool `json:"hasMore"`
}

// List is a list of the API. Nothing is called before it is read.
type List[Item any] struct {
	settings     settings
	request      request
	options      []Option
	largestLimit int
	hasCursor    bool
}

// Page reads one page, as the query asks.
func (list *List[Item]) Page(ctx context.Context) (*Page[Item], error) {
	return call[*Page[Item]](ctx, list.settings, list.request, list.options)
}

// All reads every item from the page that the query asks for on, a page at a time. It ends after an error.
func (list *List[Item]) All(ctx context.Context) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for page, err := range list.Pages(ctx) {
			if err != nil {
				var none Item
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Pages reads every page, each as large as the API allows unless the query has a limit. It ends after an error.
func (list *List[Item]) Pages(ctx context.Context) iter.Seq2[*Page[Item], error] {
	return func(yield func(*Page[Item], error) bool) {
		query, err := valuesOf(list.request.query)
		if err != nil {
			yield(nil, err)
			return
		}
		if !query.Has("limit") {
			query.Set("limit", strconv.Itoa(list.largestLimit))
		}
		for {
			asked := list.request
			asked.query = query
			page, err := call[*Page[Item]](ctx, list.settings, asked, list.options)
			if !yield(page, err) || err != nil || !list.follow(query, page) {
				return
			}
		}
	}
}

// follow makes the query that of the page after this one; false: it was the last.
func (list *List[Item]) follow(query url.Values, page *Page[Item]) bool {
	if len(page.Data) == 0 || (page.HasMore != nil && !*page.HasMore) {
		return false
	}
	if list.hasCursor {
		if page.NextCursor == nil {
			return false
		}
		query.Del("page")
		query.Set("cursor", *page.NextCursor)
		return true
	}
	number, _ := strconv.Atoi(query.Get("page"))
	limit, _ := strconv.Atoi(query.Get("limit"))
	query.Set("page", strconv.Itoa(number+1))
	return number*limit+len(page.Data) < page.Count
}
