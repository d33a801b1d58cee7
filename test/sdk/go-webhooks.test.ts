// @module-tag nightly
// @module-tag process

import { expect, it } from 'vitest';
import { createWebhookSecret, signMessage } from '#core/webhooks/signing.ts';
import { deliveredTypes } from '#core/webhooks/events.ts';
import { sampleData } from '#core/webhooks/samples.ts';
import { createSite } from '#core/links/site.ts';
import { bareOf, inGoProject, runGo, skipWithoutGo } from '#test/support/go.ts';

it('the Go SDK verifies the sample of every event, as Waymark signs it, and reads every field', async (context) => {
  await skipWithoutGo(context);
  const secret = createWebhookSecret();
  const now = new Date();
  const site = createSite({ scheme: 'https', platformDomain: 'go.example.com' });
  const webhook = { id: '01a200cb-0172-7184-9488-8fd4c13c4f6e', name: null, url: 'https://hooks.example.com/' };
  const requests = deliveredTypes.map((type) => {
    const data = sampleData(type, { webhook, site, now });
    const body = JSON.stringify({ id: webhook.id, type, createdAt: now.toISOString(), data });
    const message = { id: webhook.id, timestamp: Math.floor(now.getTime() / 1_000), body };
    return { body, headers: signMessage(message, { current: secret, previous: undefined }, 'X-Service-Signature') };
  });
  const read = await inGoProject({ 'main.go': program }, (folder) =>
    runGo('go', ['run', '.'], folder, { SECRET: secret, REQUESTS: JSON.stringify(requests) }),
  );
  const events = (JSON.parse(read) as { type: string; event: unknown }[]).map(({ event, ...line }) => ({
    ...line,
    event: bareOf(event),
  }));
  const expected = requests.map(({ body }) => {
    const event = JSON.parse(body) as { type: string };
    const name = event.type.replaceAll(/(?:^|\.)(\w)/g, (_all, letter: string) => letter.toUpperCase());
    return { type: `waymark.${name}`, event: bareOf(event) };
  });
  expect(events).toEqual(expected);
});

const program = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	waymark "github.com/waymark/waymark/sdk/go"
)

func main() {
	var requests []struct {
		Body    string
		Headers map[string]string
	}
	if err := json.Unmarshal([]byte(os.Getenv("REQUESTS")), &requests); err != nil {
		log.Fatal(err)
	}
	var lines []map[string]any
	for _, request := range requests {
		header := http.Header{}
		for name, value := range request.Headers {
			header.Set(name, value)
		}
		event, err := waymark.VerifyWebhook([]byte(request.Body), header, os.Getenv("SECRET"))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := waymark.VerifyWebhook([]byte(request.Body), header, os.Getenv("SECRET"), waymark.ByBody(waymark.SignatureHeader)); err != nil {
			log.Fatal(err)
		}
		lines = append(lines, map[string]any{"type": fmt.Sprintf("%T", event.Data), "event": event})
	}
	text, err := json.Marshal(lines)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
`;
