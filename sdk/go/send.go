package waymark

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 8 * time.Second
	longestWait    = time.Minute
)

var (
	// The API asks for another call: nothing was done, or (409 with Retry-After) the first call with the same key still runs.
	refusals = []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	// A proxy's or server's failure, after which the call may or may not have been carried out.
	failures = []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout}
	ownKinds = regexp.MustCompile(`^(application/json|text/csv|image/)`)
)

// send sends a call, again where the API asks for it by Retry-After, and where its answer is lost and a second call does no harm.
// The body of the answer has been read, but for a stream.
func (own settings) send(ctx context.Context, call request, isStream bool) (*http.Response, error) {
	address, body, contentType, err := call.encode(own)
	if err != nil {
		return nil, err
	}
	// The API takes keys with each POST and PUT but those of sign-in.
	takesKey := (call.method == "POST" || call.method == "PUT") && !strings.HasPrefix(call.path, "/auth/")
	if takesKey && own.header.Get("Idempotency-Key") == "" {
		if own.idempotencyKey == "" {
			own.idempotencyKey = rand.Text()
		}
		own.header.Set("Idempotency-Key", own.idempotencyKey)
	}
	if contentType != "" {
		own.header.Set("Content-Type", contentType)
	}
	// DELETE is not: the second one would not find what the first deleted.
	isRepeatable := call.method == "GET" || call.method == "PATCH" || own.header.Get("Idempotency-Key") != ""
	retries, limited := own.maxRetries, time.Duration(0)
	for attempt := 0; ; attempt++ {
		backoff := min(firstBackoff<<min(attempt, 20), longestBackoff)
		wait := share(backoff/2) + backoff/2
		canRepeat, isFree := isRepeatable, false
		response, err := own.attempt(ctx, call.method, address, body, isStream)
		var failure *Error
		switch {
		case err == nil && response.StatusCode/100 == 2:
			return response, requireOwn(call, response)
		case err == nil && leadsOn(call, response):
			response.Body = io.NopCloser(strings.NewReader(response.Header.Get("Location")))
			return response, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			failure = noAnswer(call, err)
		default:
			failure = errorOf(response)
			after, isAsked := retryAfter(response.Header)
			if after > 0 {
				// Calls that were refused together shall not come again together.
				wait = after + share(backoff)
			}
			isRefused := slices.Contains(refusals, failure.Status) || (failure.Status == http.StatusConflict && isAsked)
			canRepeat = (isRefused || (isRepeatable && slices.Contains(failures, failure.Status))) && after <= longestWait
			// A limit of calls a second lets some of many calls pass each time: the others wait without using up retries.
			isFree = failure.Status == http.StatusTooManyRequests && own.maxRetries > 0 && limited < own.limitWaits
		}
		if !canRepeat || (retries <= 0 && !isFree) {
			return nil, failure
		}
		if isFree {
			limited += wait
		} else {
			retries--
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// requireOwn refuses what a proxy or a page has answered in place of the API.
func requireOwn(call request, response *http.Response) error {
	kind := response.Header.Get("Content-Type")
	isOwn := ownKinds.MatchString(kind) || response.StatusCode == http.StatusNoContent || strings.HasSuffix(call.path, "/security.txt")
	if isOwn {
		return nil
	}
	response.Body.Close()
	return fmt.Errorf("waymark: %s %s: no answer of Waymark: its type is %q. Is the address that of the API?", call.method, call.path, kind)
}

// leadsOn is true of the end of a sign-in by OIDC, which answers the address of the console.
func leadsOn(call request, response *http.Response) bool {
	isEnd := strings.HasPrefix(call.path, "/auth/oidc/callback")
	return isEnd && response.StatusCode == http.StatusFound && response.Header.Get("Location") != ""
}

// share is a part of the time by chance.
func share(whole time.Duration) time.Duration {
	return mathrand.N(whole + 1)
}

func (own settings) attempt(ctx context.Context, method, address string, body []byte, isStream bool) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	if own.timeout > 0 {
		timer := time.AfterFunc(own.timeout, func() { cancel(ErrTimeout) })
		defer timer.Stop()
	}
	response, err := own.exchange(ctx, method, address, body, isStream, cancel)
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		err = ErrTimeout
	}
	if err != nil || !isStream {
		cancel(nil)
	}
	return response, err
}

func (own settings) exchange(
	ctx context.Context, method, address string, body []byte, isStream bool, cancel context.CancelCauseFunc,
) (*http.Response, error) {
	sent, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	sent.Header = own.header.Clone()
	response, err := own.httpClient.Do(sent)
	if err != nil {
		return nil, err
	}
	if isStream && response.StatusCode/100 == 2 {
		response.Body = &streamBody{response.Body, cancel}
		return response, nil
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(read))
	return response, err
}

// streamBody ends the context of its attempt when it is closed.
type streamBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (body *streamBody) Close() error {
	defer body.cancel(nil)
	return body.ReadCloser.Close()
}
