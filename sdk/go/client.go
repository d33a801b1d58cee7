// Package waymark calls the API of Waymark: typed calls by nouns and verbs, retries, pages, verified webhooks.
package waymark

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// New makes a client of the API at an address such as https://api.example.com. It calls nothing by itself.
func New(baseURL string, options ...Option) *Client {
	own := settings{
		baseURL:    strings.TrimRight(baseURL, "/"),
		httpClient: &http.Client{CheckRedirect: followNone},
		timeout:    30 * time.Second,
		maxRetries: 2,
		limitWaits: longestWait,
	}
	own = own.with(options)
	// A key of one call would make the next one its replay.
	own.idempotencyKey = ""
	return newClient(own)
}

// Option changes how a client, or one call, sends. That of a call replaces that of the client.
type Option func(*settings)

type settings struct {
	baseURL        string
	httpClient     *http.Client
	timeout        time.Duration
	maxRetries     int
	limitWaits     time.Duration
	header         http.Header
	query          url.Values
	idempotencyKey string
	onResponse     func(*http.Response)
}

// WithAPIKey sends a key as x-api-key.
func WithAPIKey(key string) Option {
	// As it comes from a file, with the end of its line.
	return WithHeader("X-Api-Key", strings.TrimSpace(key))
}

// WithHeader sends a header, such as If-Match.
func WithHeader(name, value string) Option {
	return func(own *settings) { own.header.Set(name, value) }
}

// WithQuery adds to the query of a call that also has a body: wait=verdicts.
func WithQuery(name, value string) Option {
	return func(own *settings) { own.query.Set(name, value) }
}

// WithTimeout bounds each attempt of a call, of an export until it begins; 30 seconds by default, 0: without a bound.
func WithTimeout(timeout time.Duration) Option {
	return func(own *settings) { own.timeout = timeout }
}

// WithMaxRetries sets the attempts after the first; 2 by default.
func WithMaxRetries(count int) Option {
	return func(own *settings) { own.maxRetries = count }
}

// WithHTTPClient sends by another client than the default one, with a cookie jar for one. It follows no redirects here either.
func WithHTTPClient(client *http.Client) Option {
	used := *client
	used.CheckRedirect = followNone
	return func(own *settings) { own.httpClient = &used }
}

// WithIdempotencyKey gives one call, a POST or PUT, a key; each call makes its own otherwise, and keeps it when it tries again.
func WithIdempotencyKey(key string) Option {
	return func(own *settings) { own.idempotencyKey = key }
}

// OnResponse gets the answer of a success: its ETag, its X-Request-Id. The body belongs to the client.
func OnResponse(read func(*http.Response)) Option {
	return func(own *settings) { own.onResponse = read }
}

func (own settings) with(options []Option) settings {
	own.header, own.query = own.header.Clone(), maps.Clone(own.query)
	if own.header == nil {
		own.header, own.query = http.Header{}, url.Values{}
	}
	for _, option := range options {
		option(&own)
	}
	return own
}

// followNone makes a redirect the answer: it may lead to another host, which would get the key and what the call sends.
func followNone(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}
