package waymark

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	now    = time.Unix(1_795_309_633, 0)
	secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of the test of webhooks"))
	former = "whsec_" + base64.StdEncoding.EncodeToString([]byte("the secret before that one, same"))
)

const deleted = `{"id":"a","type":"link.deleted","createdAt":"2026-11-22T01:07:13.895Z","isTest":true,"data":{"link":{"slug":"Grüße 🙂"}}}`

func macOf(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// signed has the headers of a delivery while the secret is exchanged.
func signed(body string) http.Header {
	header := http.Header{}
	header.Set("webhook-id", "a")
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	signatures := ""
	for _, one := range []string{secret, former} {
		key, _ := base64.StdEncoding.DecodeString(one[len("whsec_"):])
		signatures += " v1," + base64.StdEncoding.EncodeToString(macOf(key, "a."+header.Get("webhook-timestamp")+"."+body))
	}
	header.Set("webhook-signature", signatures[1:])
	header.Set(SignatureHeader, "sha256="+hex.EncodeToString(macOf([]byte(secret), body)))
	return header
}

func TestWebhookIsItsEvent(t *testing.T) {
	for _, options := range [][]VerifyOption{{WithNow(now)}, {ByBody(SignatureHeader)}} {
		event, err := VerifyWebhook([]byte(deleted), signed(deleted), secret, options...)
		if err != nil || event.ID != "a" || event.Type != EventTypeLinkDeleted || !event.IsTest {
			t.Fatal(event, err)
		}
		switch data := event.Data.(type) {
		case LinkDeleted:
			if data.Link.Slug != "Grüße 🙂" {
				t.Error(data)
			}
		default:
			t.Errorf("%T", data)
		}
	}
}

func TestWebhookIsRefusedWhereAByteSecretOrSignatureIsAnother(t *testing.T) {
	wrong := signed(deleted)
	wrong.Set("webhook-signature", "v1,%")
	wrong.Set(SignatureHeader, "sha256=00")
	bare := signed(deleted)
	bare.Set(SignatureHeader, bare.Get(SignatureHeader)[len("sha256="):])
	bare.Del("webhook-id")
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another"))
	for _, one := range []struct {
		body   string
		header http.Header
		secret string
	}{
		{"{}" + deleted, signed(deleted), secret},
		{deleted, signed(deleted), other},
		{deleted, signed(deleted), ""},
		{deleted, http.Header{}, secret},
		{deleted, wrong, secret},
		{deleted, bare, secret},
	} {
		for _, options := range [][]VerifyOption{{WithNow(now)}, {ByBody(SignatureHeader)}} {
			if _, err := VerifyWebhook([]byte(one.body), one.header, one.secret, options...); !errors.Is(err, ErrNotVerified) {
				t.Error(one, err)
			}
		}
	}
}

func TestSecretWithTheEndOfItsLineVerifiesAndOneThatIsNoneIsTold(t *testing.T) {
	for _, options := range [][]VerifyOption{{WithNow(now)}, {ByBody(SignatureHeader)}} {
		if _, err := VerifyWebhook([]byte(deleted), signed(deleted), secret+"\n", options...); err != nil {
			t.Error(err)
		}
	}
	_, err := VerifyWebhook([]byte(deleted), signed(deleted), "whsec_%", WithNow(now))
	if !errors.Is(err, ErrNotVerified) || !strings.Contains(err.Error(), "no secret of a webhook") {
		t.Error(err)
	}
}

func TestWebhookIsVerifiedByTheSecretBefore(t *testing.T) {
	if _, err := VerifyWebhook([]byte(deleted), signed(deleted), former, WithNow(now)); err != nil {
		t.Error(err)
	}
}

func TestWebhookOfMoreThanFiveMinutesAgoIsRefusedButForAGreaterTolerance(t *testing.T) {
	late := WithNow(now.Add(301 * time.Second))
	if _, err := VerifyWebhook([]byte(deleted), signed(deleted), secret, late); !errors.Is(err, ErrNotVerified) {
		t.Error(err)
	}
	if _, err := VerifyWebhook([]byte(deleted), signed(deleted), secret, late, WithTolerance(301*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestWebhookIsVerifiedByTheHeaderThatTheOperatorHasNamed(t *testing.T) {
	header := signed(deleted)
	header.Set("X-Own-Signature", header.Get(SignatureHeader))
	header.Del(SignatureHeader)
	if _, err := VerifyWebhook([]byte(deleted), header, secret, ByBody("X-Own-Signature")); err != nil {
		t.Error(err)
	}
}

func TestDataOfATypeOfALaterVersionStayAsTheyAre(t *testing.T) {
	later := `{"id":"a","type":"link.painted","createdAt":"2026-11-22T01:07:13.895Z","data":{"color":"red"}}`
	event, err := VerifyWebhook([]byte(later), signed(later), secret, WithNow(now))
	if err != nil {
		t.Fatal(err)
	}
	if data, ok := event.Data.(json.RawMessage); !ok || string(data) != `{"color":"red"}` {
		t.Errorf("%T", event.Data)
	}
}
