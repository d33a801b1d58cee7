package waymark

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

var (
	// ErrNoAnswer tells that no answer arrived: the address is wrong, or the connection broke.
	ErrNoAnswer = errors.New("no answer came")
	// ErrTimeout tells that no answer arrived in the time of an attempt. It is an ErrNoAnswer too.
	ErrTimeout = errors.New("the time of the attempt is up")
	// ErrNotVerified tells that a request is no webhook of this secret, or is too old.
	ErrNotVerified = errors.New("the webhook is not verified")
)

// Error makes each code a target of errors.Is: errors.Is(err, waymark.ErrNotFound).
func (code ErrorCode) Error() string {
	return string(code)
}

// Error is the failure of a call: an answer that is no success, or none.
type Error struct {
	// Status is 0 where no answer came.
	Status int
	// Code is empty where a proxy answered in place of the API.
	Code    ErrorCode
	Message string
	// RequestID names the call in the logs of the installation.
	RequestID string
	// Issues are the wrong fields of the input, each by its dotted path.
	Issues []Issue
	// RetryAfter is when the API wants to be called again; 0 where it does not say.
	RetryAfter time.Duration
	// Body is the whole error; nil where a proxy answered in place of the API.
	Body   *APIError
	Header http.Header
	causes []error
}

func (e *Error) Error() string {
	if e.Code == "" {
		return "waymark: " + e.Message
	}
	return fmt.Sprintf("waymark: %s: %s (status %d, request %s)", e.Code, e.Message, e.Status, e.RequestID)
}

// Is holds for the code of the error.
func (e *Error) Is(target error) bool {
	code, ok := target.(ErrorCode)
	return ok && code == e.Code
}

// Unwrap gives ErrNoAnswer and the cause where no answer came.
func (e *Error) Unwrap() []error {
	return e.causes
}

// errorOf reads an answer that is no success.
func errorOf(response *http.Response) *Error {
	data, _ := io.ReadAll(response.Body)
	failure := &Error{
		Status:    response.StatusCode,
		Message:   describe(response),
		RequestID: response.Header.Get("X-Request-Id"),
		Header:    response.Header,
	}
	failure.RetryAfter, _ = retryAfter(response.Header)
	var body APIError
	if json.Unmarshal(data, &body) == nil && body.Code != "" && body.Message != "" {
		failure.Body, failure.Code, failure.Message, failure.Issues = &body, body.Code, body.Message, body.Issues
	}
	if body.RequestID != "" {
		failure.RequestID = body.RequestID
	}
	return failure
}

func describe(response *http.Response) string {
	if location := response.Header.Get("Location"); location != "" {
		return fmt.Sprintf("the answer leads to %s, where your key is not sent. Is the address that of the API?", location)
	}
	return fmt.Sprintf("the answer has the status %d and no error of Waymark", response.StatusCode)
}

// noAnswer says which call it was by the path of /doc: an address may hold what no log should.
func noAnswer(call request, cause error) *Error {
	var broken *url.Error
	if errors.As(cause, &broken) {
		cause = broken.Err
	}
	message := fmt.Sprintf("%s %s: %v: %v", call.method, call.path, ErrNoAnswer, cause)
	return &Error{Message: message, causes: []error{ErrNoAnswer, cause}}
}

var seconds = regexp.MustCompile(`^\d{1,9}$`)

// retryAfter returns false where the header is absent, or a date.
func retryAfter(header http.Header) (time.Duration, bool) {
	text := header.Get("Retry-After")
	if !seconds.MatchString(text) {
		return 0, false
	}
	count, err := strconv.Atoi(text)
	return time.Duration(count) * time.Second, err == nil
}
