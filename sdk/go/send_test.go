package waymark

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

type sent struct {
	method, address, key, body string
}

// answering starts a server that answers by the list, the last answer again and again, and keeps what was sent.
func answering(t *testing.T, answers ...http.HandlerFunc) (*Client, func() []sent) {
	t.Helper()
	var lock sync.Mutex
	var calls []sent
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, asked *http.Request) {
		body, _ := io.ReadAll(asked.Body)
		lock.Lock()
		calls = append(calls, sent{asked.Method, asked.URL.String(), asked.Header.Get("Idempotency-Key"), string(body)})
		answer := answers[min(len(calls), len(answers))-1]
		lock.Unlock()
		writer.Header().Set("Content-Type", "application/json")
		answer(writer, asked)
	}))
	t.Cleanup(server.Close)
	return New(server.URL+"/", WithAPIKey("key")), func() []sent {
		lock.Lock()
		defer lock.Unlock()
		return slices.Clone(calls)
	}
}

func answer(status int, body string, header ...string) http.HandlerFunc {
	return func(writer http.ResponseWriter, _ *http.Request) {
		for index := 0; index < len(header); index += 2 {
			writer.Header().Set(header[index], header[index+1])
		}
		writer.WriteHeader(status)
		fmt.Fprint(writer, body)
	}
}

func refused(code ErrorCode, status int, after string) http.HandlerFunc {
	body, _ := json.Marshal(APIError{Code: code, Message: "Later.", RequestID: "request-1"})
	return answer(status, string(body), "Retry-After", after)
}

func broken(writer http.ResponseWriter, _ *http.Request) {
	connection, _, _ := writer.(http.Hijacker).Hijack()
	connection.Close()
}

var ok = answer(200, `{"id":"a","slug":"a"}`)

var link = CreateShortLink{Destination: DestinationDraft{Type: DestinationTypeLink, Value: "https://example.com"}}

func TestRefusedCallIsRepeatedWithItsKeyAfterRetryAfter(t *testing.T) {
	client, calls := answering(t, refused(ErrRateLimitExceeded, 429, "1"), ok)
	startedAt := time.Now()
	made, err := client.Links.Create(t.Context(), link)
	if err != nil || made.Slug != "a" {
		t.Fatal(made, err)
	}
	if time.Since(startedAt) < 990*time.Millisecond {
		t.Error("the second attempt came before Retry-After")
	}
	if len(calls()) != 2 || calls()[0] != calls()[1] || calls()[0].key == "" {
		t.Error(calls())
	}
}

func TestRefusedCallFailsWithItsCodeOnceItsAttemptsAreUsedUp(t *testing.T) {
	client, calls := answering(t, refused(ErrServiceUnavailable, 503, "0"))
	_, err := client.Links.Get(t.Context(), "a")
	var failure *Error
	if !errors.As(err, &failure) || !errors.Is(err, ErrServiceUnavailable) || errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if failure.Status != 503 || failure.RequestID != "request-1" || failure.Body == nil || len(calls()) != 3 {
		t.Error(failure, calls())
	}
}

func TestLimitOfCallsUsesUpNoRetryUntilItsTimeIsUp(t *testing.T) {
	t.Parallel()
	limited := refused(ErrRateLimitExceeded, 429, "0")
	client, calls := answering(t, limited, limited, limited, ok)
	if _, err := client.Links.Get(t.Context(), "a", WithMaxRetries(1)); err != nil || len(calls()) != 4 {
		t.Error(err, calls())
	}
	client, calls = answering(t, limited)
	soon := Option(func(own *settings) { own.limitWaits = time.Millisecond })
	if _, err := client.Links.Get(t.Context(), "a", soon, WithMaxRetries(1)); !errors.Is(err, ErrRateLimitExceeded) || len(calls()) != 3 {
		t.Error(err, calls())
	}
	client, calls = answering(t, limited)
	if _, err := client.Links.Get(t.Context(), "a", WithMaxRetries(0)); !errors.Is(err, ErrRateLimitExceeded) || len(calls()) != 1 {
		t.Error(err, calls())
	}
}

func TestCallIsRepeatedWhileTheFirstWithItsKeyRuns(t *testing.T) {
	client, calls := answering(t, refused(ErrAlreadyExist, 409, "0"), ok)
	if _, err := client.Links.Create(t.Context(), link, WithIdempotencyKey("mine")); err != nil {
		t.Fatal(err)
	}
	if len(calls()) != 2 || calls()[1].key != "mine" {
		t.Error(calls())
	}
}

func TestConflictWithoutRetryAfterIsNotRepeated(t *testing.T) {
	client, calls := answering(t, answer(409, `{"code":"ALREADY_EXIST","message":"Taken.","requestId":"1"}`))
	if _, err := client.Links.Create(t.Context(), link); !errors.Is(err, ErrAlreadyExist) || len(calls()) != 1 {
		t.Error(err, calls())
	}
}

func TestRetryAfterOfMoreThanAMinuteIsLeftToTheCaller(t *testing.T) {
	client, calls := answering(t, refused(ErrServiceUnavailable, 503, "61"))
	_, err := client.Links.Get(t.Context(), "a")
	var failure *Error
	if !errors.As(err, &failure) || failure.RetryAfter != 61*time.Second || len(calls()) != 1 {
		t.Error(err, calls())
	}
}

func TestLostAnswerIsRepeatedWhereASecondCallDoesNoHarm(t *testing.T) {
	for name, lost := range map[string]http.HandlerFunc{
		"broken":         broken,
		"broken midway":  answer(200, "{", "Content-Length", "99"),
		"a proxy's fail": answer(502, "<h1>Bad gateway</h1>"),
	} {
		t.Run(name, func(t *testing.T) {
			client, calls := answering(t, lost, ok, lost, ok)
			if _, err := client.Links.Get(t.Context(), "a"); err != nil {
				t.Error(err)
			}
			if _, err := client.Links.Create(t.Context(), link); err != nil {
				t.Error(err)
			}
			if len(calls()) != 4 || calls()[2] != calls()[3] {
				t.Error(calls())
			}
		})
	}
}

func TestLostAnswerIsNotRepeatedForADelete(t *testing.T) {
	client, calls := answering(t, broken, ok)
	_, err := client.Links.Delete(t.Context(), "a")
	if !errors.Is(err, ErrNoAnswer) || errors.Is(err, ErrTimeout) || len(calls()) != 1 {
		t.Error(err, calls())
	}
}

func TestSignInIsSentWithoutAKeyAndOnce(t *testing.T) {
	client, calls := answering(t, answer(500, ""))
	_, err := client.Auth.SignIn(t.Context(), SignIn{Email: "ada@example.com", Password: "secret"})
	var failure *Error
	if !errors.As(err, &failure) || failure.Code != "" || failure.Body != nil || failure.Status != 500 {
		t.Error(err)
	}
	if len(calls()) != 1 || calls()[0].key != "" {
		t.Error(calls())
	}
}

func hanging(_ http.ResponseWriter, asked *http.Request) {
	<-asked.Context().Done()
}

func TestAttemptEndsWhenItsTimeIsUp(t *testing.T) {
	client, _ := answering(t, hanging)
	_, err := client.Links.Get(t.Context(), "a", WithTimeout(time.Millisecond), WithMaxRetries(0))
	if !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrNoAnswer) {
		t.Error(err)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	reason := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	client, calls := answering(t, func(writer http.ResponseWriter, asked *http.Request) {
		cancel(reason)
		hanging(writer, asked)
	})
	if _, err := client.Links.Get(ctx, "a"); !errors.Is(err, reason) || len(calls()) != 1 {
		t.Error(err, calls())
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	client, calls = answering(t, func(writer http.ResponseWriter, asked *http.Request) {
		refused(ErrServiceUnavailable, 503, "60")(writer, asked)
		time.AfterFunc(time.Millisecond, func() { cancel(reason) })
	})
	if _, err := client.Links.Get(ctx, "a"); !errors.Is(err, reason) || len(calls()) != 1 {
		t.Error(err, calls())
	}
}

func TestOptionsOfACallReachTheServer(t *testing.T) {
	client, calls := answering(t, func(writer http.ResponseWriter, asked *http.Request) {
		writer.Header().Set("ETag", asked.Header.Get("If-Match")+asked.Header.Get("X-Api-Key"))
		fmt.Fprint(writer, `{"results":[{"status":201,"data":{"id":"a"}},{"status":400,"error":{"code":"VALIDATION_ERROR"}}]}`)
	})
	version := ""
	read := OnResponse(func(response *http.Response) { version = response.Header.Get("ETag") })
	results, err := client.Links.CreateMany(t.Context(), CreateShortLinks{Links: []CreateShortLink{link}},
		WithHeader("If-Match", "1"), WithQuery("wait", "verdicts"), read)
	if err != nil || results.Results[0].Data.ID != "a" || results.Results[1].Error.Code != ErrValidation {
		t.Fatal(results, err)
	}
	if version != "1key" || calls()[0].address != "/short-link/bulk?wait=verdicts" {
		t.Error(version, calls())
	}
}

func TestNullAndAbsentFieldsAreTold(t *testing.T) {
	client, calls := answering(t, ok)
	change := UpdateShortLink{Title: Set("Spring"), ExpiresAt: Null[time.Time](), AddTags: []string{}}
	if _, err := client.Links.Update(t.Context(), "a/b", change); err != nil {
		t.Fatal(err)
	}
	if got := calls()[0]; got.body != `{"title":"Spring","expiresAt":null,"addTags":[]}` || got.address != "/short-link/a%2Fb" {
		t.Error(got)
	}
	var read UpdateShortLink
	if err := json.Unmarshal([]byte(calls()[0].body), &read); err != nil {
		t.Fatal(err)
	}
	title, isSet := read.Title.Get()
	if title != "Spring" || !isSet || !read.ExpiresAt.IsNull() || read.ExpiresAt.IsZero() || !read.Notes.IsZero() {
		t.Error(read)
	}
}

func TestWrongAddressIsToldAtOnce(t *testing.T) {
	for _, address := range []string{"", "localhost:3000", "api.example.com", "ftp://a.example", "https://a.example?b", "https://a.example/#b"} {
		_, err := New(address).Links.Get(t.Context(), "a")
		if err == nil || errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "is like https://") {
			t.Error(address, err)
		}
	}
}

func TestKeyWithTheEndOfItsLineIsSentWithoutIt(t *testing.T) {
	told := ""
	client, _ := answering(t, func(writer http.ResponseWriter, asked *http.Request) {
		told = asked.Header.Get("X-Api-Key")
		ok(writer, asked)
	})
	if _, err := client.Links.Get(t.Context(), "a", WithAPIKey("key\n")); err != nil || told != "key" {
		t.Error(told, err)
	}
}

func TestIDThatLeadsToAnotherCallCallsNothing(t *testing.T) {
	client, calls := answering(t, ok)
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Auth.EndSession(t.Context(), id); err == nil || len(calls()) != 0 {
			t.Error(id, err, calls())
		}
	}
}

func TestUploadIsSentWholeAgain(t *testing.T) {
	client, calls := answering(t, broken, answer(201, `{"id":"a","state":"pending"}`))
	started, err := client.Imports.Create(t.Context(), ImportShortLinksBody{
		File:     File{Name: "links.csv", Content: strings.NewReader("destination\nhttps://example.com\n")},
		Format:   Set(ImportFormatCSV),
		FolderID: Set("folder-1"),
	})
	if err != nil || started.State != ImportStatePending || len(calls()) != 2 {
		t.Fatal(started, err)
	}
	body := calls()[1].body
	for _, part := range []string{`name="file"; filename="links.csv"`, "https://example.com\n", "folder-1", "\r\ncsv\r\n", "--\r\n"} {
		if !strings.Contains(body, part) {
			t.Errorf("%q is not in %q", part, body)
		}
	}
}

func TestStreamOutlivesTheTimeOfItsAttempt(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second // enough for the headers on a slow machine
	client, _ := answering(t, func(writer http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(writer, "slug")
		writer.(http.Flusher).Flush()
		time.Sleep(timeout + 100*time.Millisecond) // longer than the attempt may take
		fmt.Fprintln(writer, "spring")
	})
	export, err := client.Links.Export(t.Context(), ExportShortLinksQuery{}, WithTimeout(timeout), WithMaxRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	defer export.Close()
	if text, err := io.ReadAll(export); err != nil || string(text) != "slug\nspring\n" {
		t.Error(string(text), err)
	}
}

func TestRedirectsAreErrorsThatNameTheirAddress(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, asked *http.Request) {
		t.Error("another host is asked", asked.Method, asked.URL)
		fmt.Fprint(writer, `{"id":"a"}`)
	}))
	defer other.Close()
	follower := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, option := range []Option{WithTimeout(time.Minute), WithHTTPClient(&http.Client{}), WithHTTPClient(follower)} {
			client, sent := answering(t, answer(status, "", "Location", other.URL))
			_, err := client.Links.Create(t.Context(), CreateShortLink{}, option)
			var failure *Error
			if !errors.As(err, &failure) || failure.Status != status || !strings.Contains(failure.Message, other.URL) {
				t.Error(status, err)
			}
			if len(sent()) != 1 {
				t.Error(sent())
			}
		}
	}
}

func TestEndOfSignInByOIDCAnswersWhereItLeads(t *testing.T) {
	client, _ := answering(t, answer(http.StatusFound, "", "Location", "https://app.example.com/"))
	address, err := client.Auth.FinishOIDC(t.Context(), FinishOIDCQuery{})
	if err != nil || string(address) != "https://app.example.com/" {
		t.Error(string(address), err)
	}
}

func TestPageIsNoAnswer(t *testing.T) {
	page := answer(http.StatusOK, "<h1>Welcome</h1>", "Content-Type", "text/html")
	client, sent := answering(t, page)
	_, jsonErr := client.Links.Get(t.Context(), "a")
	_, pictureErr := client.Links.DrawSiteIcon(t.Context(), DrawSiteIconQuery{})
	_, exportErr := client.Links.Export(t.Context(), ExportShortLinksQuery{})
	for _, err := range []error{jsonErr, pictureErr, exportErr} {
		if err == nil || !strings.Contains(err.Error(), "Is the address that of the API?") {
			t.Error(err)
		}
	}
	if len(sent()) != 3 {
		t.Error(sent())
	}
}
