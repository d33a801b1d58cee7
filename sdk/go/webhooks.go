package waymark

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Event is what a webhook gets, and what Events.List gives.
type Event struct {
	// ID is the same in every attempt of a delivery.
	ID        string    `json:"id"`
	Type      EventType `json:"type"`
	CreatedAt time.Time `json:"createdAt"`
	// IsTest tells that the event is a sample: nothing happened.
	IsTest bool `json:"isTest,omitzero"`
	// Data is a struct by the type, such as LinkClicked; a json.RawMessage of a type that this version does not know.
	Data any `json:"data"`
}

// UnmarshalJSON reads an event, and its data by its type.
func (event *Event) UnmarshalJSON(data []byte) error {
	type plain Event
	var raw json.RawMessage
	read := plain{Data: &raw}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	typed, err := decodeEventData(read.Type, raw)
	*event = Event(read)
	event.Data = typed
	return err
}

func decode[T any](data json.RawMessage) (any, error) {
	var value T
	err := json.Unmarshal(data, &value)
	return value, err
}

// VerifyOption changes how VerifyWebhook checks.
type VerifyOption func(*verification)

type verification struct {
	signatureHeader string
	tolerance       time.Duration
	now             time.Time
}

// SignatureHeader is the header of ByBody, unless the operator of the installation has chosen another.
const SignatureHeader = "X-Service-Signature"

// ByBody checks the body alone, by the header of that name, so that a request of old can be sent again. Without it id, time and body are checked, by webhook-signature.
func ByBody(signatureHeader string) VerifyOption {
	return func(own *verification) { own.signatureHeader = signatureHeader }
}

// WithTolerance sets how far webhook-timestamp may be off; 5 minutes by default.
func WithTolerance(tolerance time.Duration) VerifyOption {
	return func(own *verification) { own.tolerance = tolerance }
}

// WithNow sets the time to compare webhook-timestamp with; the present by default.
func WithNow(now time.Time) VerifyOption {
	return func(own *verification) { own.now = now }
}

// VerifyWebhook checks that a request comes from Waymark, and gives its event. The body is as it arrived, and the secret the one that
// the API showed when the webhook was made. The error is an ErrNotVerified where the request does not, or is older than the tolerance.
func VerifyWebhook(body []byte, header http.Header, secret string, options ...VerifyOption) (*Event, error) {
	own := verification{tolerance: 5 * time.Minute, now: time.Now()}
	for _, option := range options {
		option(&own)
	}
	verify := own.verifyStandard
	if own.signatureHeader != "" {
		verify = own.verifyBody
	}
	// As it comes from a file, with the end of its line.
	if err := verify(body, header, strings.TrimSpace(secret)); err != nil {
		return nil, fmt.Errorf("waymark: %w: %v", ErrNotVerified, err)
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("waymark: the webhook is no event: %w", err)
	}
	return &event, nil
}

var timestamps = regexp.MustCompile(`^\d{1,12}$`)

func (own verification) verifyStandard(body []byte, header http.Header, secret string) error {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	if id == "" || !timestamps.MatchString(timestamp) {
		return errors.New("webhook-id or -timestamp is missing")
	}
	sent, err := strconv.ParseFloat(timestamp, 64)
	if err != nil || math.Abs(float64(own.now.Unix())-sent) > own.tolerance.Seconds() {
		return fmt.Errorf("webhook-timestamp is more than %v off", own.tolerance)
	}
	var given [][]byte
	// While the secret is exchanged there are two.
	for _, text := range strings.Fields(header.Get("Webhook-Signature")) {
		if signature, ok := strings.CutPrefix(text, "v1,"); ok {
			given = append(given, fromBase64(signature))
		}
	}
	key := fromBase64(strings.TrimPrefix(secret, "whsec_"))
	return requireOne(key, given, append([]byte(id+"."+timestamp+"."), body...), "webhook-signature")
}

func (own verification) verifyBody(body []byte, header http.Header, secret string) error {
	var given [][]byte
	if text, ok := strings.CutPrefix(header.Get(own.signatureHeader), "sha256="); ok {
		signature, _ := hex.DecodeString(text)
		given = append(given, signature)
	}
	return requireOne([]byte(secret), given, body, own.signatureHeader)
}

func requireOne(secret []byte, signatures [][]byte, signed []byte, header string) error {
	if len(secret) == 0 {
		return errors.New("this is no secret of a webhook, like whsec_…")
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(signed)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		if hmac.Equal(signature, expected) {
			return nil
		}
	}
	return fmt.Errorf("%s was not made with this secret", header)
}

// fromBase64 returns no bytes where the text is no base64.
func fromBase64(text string) []byte {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return data
}
