// @module-tag process

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { createWebhookSecret, signMessage } from '#core/webhooks/signing.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
/** A program of the guide, by its language and a part of it. */
function program(language: string, part: string): string {
  const found = [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))];
  return found.map(([, text = '']) => text).find((text) => text.includes(part)) ?? '';
}

interface Case {
  name: string;
  secret: string;
  /** By names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** Unix seconds at which it is checked. */
  now: number;
  expected: Verdicts;
}
interface Verdicts {
  standard: boolean;
  body: boolean;
}

const headerName = 'X-Service-Signature';
const id = '01a200cb-0172-7184-9488-8fd4c13c4f6e';
const now = 1_795_309_633;
const cases = createCases();
const expected = cases.map(({ name, expected: verdicts }) => ({ name, ...verdicts }));

// The console shows these beside a new secret.
const ofConsole = join(import.meta.dirname, '../../console/webhooks/secret/programs');
const consoleProgram = (name: string): string => readFileSync(join(ofConsole, name), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-docs-'));
  writeFileSync(join(folder, 'verify.mjs'), program('js', 'verifyStandard(secret'));
  writeFileSync(join(folder, 'verify.py'), program('python', 'verify_standard'));
  writeFileSync(join(folder, 'receiver.mjs'), program('js', 'createServer'));
  mkdirSync(join(folder, 'webhook'));
  writeFileSync(join(folder, 'webhook', 'webhook.go'), program('go', 'VerifyStandard'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the programs of the webhooks guide tell what is Waymark’s', () => {
  it('the guide’s program in Node verifies webhooks', async () => {
    writeFileSync(join(folder, 'check.mjs'), nodeCheck);
    expect(await verdictsOf([process.execPath, 'check.mjs'])).toEqual(expected);
  });

  it('the guide’s program in Python verifies webhooks', async (context) => {
    await skipWithout(context, 'python3', '--version');
    writeFileSync(join(folder, 'check.py'), pythonCheck);
    expect(await verdictsOf(['python3', 'check.py'])).toEqual(expected);
  });

  // Where nothing of it is cached, Go compiles its own packages first.
  it('the guide’s program in Go verifies webhooks', { tags: 'nightly' }, async (context) => {
    await skipWithout(context, 'go', 'version');
    writeFileSync(join(folder, 'go.mod'), 'module example.com/check\n\ngo 1.21\n');
    writeFileSync(join(folder, 'check.go'), goCheck);
    expect(await verdictsOf(['go', 'run', '-buildvcs=false', '.'])).toEqual(expected);
  });
});

describe('the programs that the console shows', () => {
  it('in Python and Go are those of the guide', () => {
    expect(consoleProgram('verify.py')).toBe(program('python', 'verify_standard'));
    expect(consoleProgram('webhook.go')).toBe(program('go', 'VerifyStandard'));
  });

  it('in TypeScript verifies webhooks', async () => {
    writeFileSync(join(folder, 'verify.ts'), consoleProgram('verify.ts'));
    writeFileSync(join(folder, 'check-ts.mjs'), nodeCheck.replace('./verify.mjs', './verify.ts'));
    expect(await verdictsOf([process.execPath, '--experimental-strip-types', 'check-ts.mjs'])).toEqual(expected);
  });

  it('in PHP verifies webhooks', async (context) => {
    await skipWithout(context, 'php', '--version');
    writeFileSync(join(folder, 'verify.php'), consoleProgram('verify.php'));
    writeFileSync(join(folder, 'check.php'), phpCheck);
    expect(await verdictsOf(['php', 'check.php'])).toEqual(expected);
  });
});

it('the example of a request is signed with the secret of the guide', () => {
  const [, head = '', body = ''] = /```http\n([\s\S]*?)\n\n([\s\S]*?)\n```/.exec(guide) ?? [];
  const headers = Object.fromEntries(
    [...head.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const [, secret = ''] = /"secret": "(whsec_[^"]+)"/.exec(guide) ?? [];
  const message = { id: (JSON.parse(body) as { id: string }).id, timestamp: now, body };
  expect(headers).toMatchObject(signMessage(message, { current: secret, previous: undefined }, headerName));
});

it('the receiver of the guide answers at once, handles an event once, and takes nothing from others', async () => {
  const secret = createWebhookSecret();
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    const port = /\d+/.exec((await lines.next()).value as string)![0];
    const send = async (eventId: string, body: string, sentBody = body): Promise<number> => {
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = signMessage(
        { id: eventId, timestamp, body },
        { current: secret, previous: undefined },
        headerName,
      );
      // oxlint-disable-next-line no-restricted-globals -- a receiver of the tests
      return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: sentBody })).status;
    };
    const bodyOf = (eventId: string): string => JSON.stringify({ id: eventId, type: 'link.created', data: {} });
    expect(await send('a', bodyOf('a'), bodyOf('z'))).toBe(401);
    expect(await send('a', bodyOf('a'))).toBe(204);
    expect(await send('a', bodyOf('a'))).toBe(204);
    expect(await send('b', bodyOf('b'))).toBe(204);
    expect((await lines.next()).value).toBe('link.created a');
    expect((await lines.next()).value).toBe('link.created b');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});

function createCases(): Case[] {
  const [secret, previous, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
  const body = '{"id":"a", "type":"link.created","data":{"text":"Grüße 🙂\\n"}}';
  const sign = (secrets = { current: secret, previous: undefined as string | undefined }): Record<string, string> => {
    const signed = Object.entries(signMessage({ id, timestamp: now, body }, secrets, headerName));
    return Object.fromEntries(signed.map(([name, value]) => [name.toLowerCase(), value]));
  };
  const valid = { secret, headers: sign(), body, now };
  const exchanged = { ...valid, headers: sign({ current: secret, previous }) };
  const [both, bodyOnly, none] = [
    { standard: true, body: true },
    { standard: false, body: true },
    { standard: false, body: false },
  ];
  const signature = valid.headers['webhook-signature']!;
  const change = (headers: Record<string, string>) => ({ ...valid, headers: { ...valid.headers, ...headers } });
  return [
    { name: 'a request', ...valid, expected: both },
    { name: 'one that took five minutes', ...valid, now: now + 300, expected: both },
    { name: 'one that took longer', ...valid, now: now + 301, expected: bodyOnly },
    { name: 'one from the future', ...valid, now: now - 301, expected: bodyOnly },
    { name: 'another body', ...valid, body: body.replace('Grüße', 'Gruße'), expected: none },
    { name: 'a body written anew', ...valid, body: JSON.stringify(JSON.parse(body)), expected: none },
    { name: 'an empty body', ...valid, body: '', expected: none },
    { name: 'another secret', ...valid, secret: other, expected: none },
    { name: 'an exchange, by the new secret', ...exchanged, expected: both },
    {
      name: 'an exchange, by the old secret',
      ...exchanged,
      secret: previous,
      expected: { standard: true, body: false },
    },
    { name: 'an exchange, by neither', ...exchanged, secret: other, expected: none },
    { name: 'another id', ...change({ 'webhook-id': 'b' }), expected: bodyOnly },
    { name: 'another time', ...change({ 'webhook-timestamp': String(now + 1) }), expected: bodyOnly },
    { name: 'a time that is none', ...change({ 'webhook-timestamp': 'soon' }), expected: bodyOnly },
    { name: 'a time beyond numbers', ...change({ 'webhook-timestamp': '9'.repeat(40) }), expected: bodyOnly },
    { name: 'no time', ...change({ 'webhook-timestamp': '' }), expected: bodyOnly },
    { name: 'another version', ...change({ 'webhook-signature': signature.replace('v1', 'v2') }), expected: bodyOnly },
    { name: 'half a signature', ...change({ 'webhook-signature': signature.slice(0, 20) }), expected: bodyOnly },
    { name: 'no signature', ...change({ 'webhook-signature': '' }), expected: bodyOnly },
    { name: 'many spaces', ...change({ 'webhook-signature': `  v1, ${signature} ` }), expected: both },
    { name: 'no headers', ...valid, headers: {}, expected: none },
    {
      name: 'no prefix',
      ...change({ [headerName.toLowerCase()]: valid.headers[headerName.toLowerCase()]!.slice(7) }),
      expected: { standard: true, body: false },
    },
  ];
}

/** What a program says of each case, by its name. */
async function verdictsOf(command: [string, ...string[]]): Promise<unknown> {
  const input = cases.map(({ secret, headers, body, now: at }) => ({
    secret,
    headers,
    body: Buffer.from(body).toString('base64'),
    now: at,
  }));
  const verdicts = JSON.parse(await run(command, JSON.stringify(input))) as Verdicts[];
  return verdicts.map((verdict, index) => ({ name: cases[index]?.name, ...verdict }));
}

/** Skips a test, by name, where a program is not on this machine. */
async function skipWithout({ skip }: TestContext, name: string, question: string): Promise<void> {
  const isThere = await run([name, question]).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
  skip(!isThere, `${name} is not on this machine: its program of the guide was not run`);
}

function run([file, ...parameters]: [string, ...string[]], input = ''): Promise<string> {
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '', GOWORK: 'off' };
  return new Promise((resolve, reject) => {
    const child = execFile(file, parameters, { cwd: folder, env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    // A program that is not there reads nothing.
    child.stdin?.on('error', () => undefined).end(input);
  });
}

const nodeCheck = `
import { text } from 'node:stream/consumers';
import { verifyBody, verifyStandard } from './verify.mjs';
const cases = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(cases.map(({ secret, headers, body, now }) => {
  const bytes = Buffer.from(body, 'base64');
  return { standard: verifyStandard(secret, headers, bytes, now), body: verifyBody(secret, headers, bytes) };
})));
`;

const pythonCheck = `
import base64, json, sys
from verify import verify_body, verify_standard
verdicts = []
for case in json.load(sys.stdin):
    body = base64.b64decode(case["body"])
    verdicts.append({
        "standard": verify_standard(case["secret"], case["headers"], body, case["now"]),
        "body": verify_body(case["secret"], case["headers"], body),
    })
print(json.dumps(verdicts))
`;

const phpCheck = `<?php
require 'verify.php';
$verdicts = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $case) {
    $body = base64_decode($case['body']);
    $verdicts[] = [
        'standard' => verify_standard($case['secret'], $case['headers'], $body, $case['now']),
        'body' => verify_body($case['secret'], $case['headers'], $body),
    ];
}
echo json_encode($verdicts);
`;

const goCheck = `
package main

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"example.com/check/webhook"
)

type headers map[string]string

func (h headers) Get(name string) string { return h[strings.ToLower(name)] }

func main() {
	var cases []struct {
		Secret  string
		Headers headers
		Body    []byte
		Now     int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	type verdict struct {
		Standard bool \`json:"standard"\`
		Body     bool \`json:"body"\`
	}
	verdicts := []verdict{}
	for _, one := range cases {
		verdicts = append(verdicts, verdict{
			webhook.VerifyStandard(one.Secret, one.Headers, one.Body, time.Unix(one.Now, 0)),
			webhook.VerifyBody(one.Secret, one.Headers, one.Body),
		})
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`;
