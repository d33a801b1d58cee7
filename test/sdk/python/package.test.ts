// @module-tag process

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, TestRunner } from 'vitest';
import { createWebhookSecret, signMessage } from '#core/webhooks/signing.ts';
import { root } from '#scripts/lib/paths.ts';
import { findPythonTools, installPythonSdk, type InstalledPythonSdk } from '#test/support/python-sdk.ts';
import {
  answer,
  breakOff,
  refuse,
  type ScriptedAnswer,
  type ScriptedRequest,
  startScriptedServer,
} from '#test/support/scripted-server.ts';

const tools = TestRunner.matchesTags(['nightly', 'process']) ? findPythonTools() : undefined;
const run = promisify(execFile);
const clients = ['Waymark', 'AsyncWaymark'] as const;

describe.skipIf(tools === undefined)('the SDK for Python', { tags: 'nightly' }, () => {
  let sdk: InstalledPythonSdk;
  beforeAll(async () => {
    sdk = await installPythonSdk(tools!);
  });
  afterAll(() => sdk?.[Symbol.dispose]());

  /** Runs statements, which `show` values. @returns the values. */
  async function python(statements: string, env: Record<string, string> = {}): Promise<unknown[]> {
    const { stdout } = await run(sdk.python, ['-c', `${prelude}\n${statements}`], { env });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }

  /** Runs statements with a client, `waymark`; those of the sync client without `await` and `async`. */
  async function call(
    client: (typeof clients)[number],
    statements: string,
    ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]
  ): Promise<{ shown: unknown[]; sent: ScriptedRequest[] }> {
    await using server = await startScriptedServer(...answers);
    const isAsync = client === 'AsyncWaymark';
    const own = isAsync ? statements : statements.replaceAll(/\b(?:await|async) /g, '');
    const body = own.trim().replaceAll(/^ {6}/gm, '    ');
    const main = `${isAsync ? 'async ' : ''}def main():
    waymark = ${client}(base_url=os.environ["API"] + "/", api_key="key")
    ${body}
${isAsync ? 'asyncio.run(main())' : 'main()'}`;
    return { shown: await python(main, { API: server.address }), sent: server.sent };
  }

  describe.each(clients)('calls of %s', (client) => {
    const make = `
      try:
          show(await waymark.links.create(destination={"type": "link", "value": "https://example.com"}, title=None))
      except WaymarkError as error:
          show_error(error)`;

    it('a call that is refused for a while is repeated with its key and body, after the seconds of Retry-After', async () => {
      const { shown, sent } = await call(
        client,
        make,
        refuse('RATE_LIMIT_EXCEEDED', 429, { 'retry-after': '1' }),
        answer({ id: 'a' }, 201),
      );
      expect(shown).toEqual([{ id: 'a' }]);
      const [first, second] = sent as [ScriptedRequest, ScriptedRequest];
      expect(second.at - first.at).toBeGreaterThan(990);
      expect(first).toMatchObject({ method: 'POST', url: '/short-link', headers: { 'x-api-key': 'key' } });
      expect(JSON.parse(String(first.body))).toEqual({
        destination: { type: 'link', value: 'https://example.com' },
        title: null,
      });
      expect(first.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
      expect([second.headers['idempotency-key'], second.body]).toEqual([first.headers['idempotency-key'], first.body]);
    });

    it('a call fails with the class of its code once its attempts are used up', async () => {
      const { shown, sent } = await call(client, make, refuse('SERVICE_UNAVAILABLE', 503, { 'retry-after': '0' }));
      const error = {
        name: 'ServiceUnavailableError',
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
        request_id: 'request-1',
      };
      expect(shown).toEqual([{ ...error, text: 'Later.', issues: [], retry_after_seconds: 0 }]);
      expect(sent).toHaveLength(3);
    });

    it('a limit of calls uses up no attempt until the time for such waits is over', async () => {
      const limited = refuse('RATE_LIMIT_EXCEEDED', 429, { 'retry-after': '0' });
      const get = 'show(await waymark.links.get("a", max_retries=1))';
      const { shown, sent } = await call(client, get, limited, limited, limited, answer({ id: 'a' }));
      expect([shown, sent.length]).toEqual([[{ id: 'a' }], 4]);
      const soon = `
      import waymark._send as sending
      sending.FREE_WAIT_SECONDS = 0`;
      const late = await call(client, soon + make, limited);
      expect(late.shown).toMatchObject([{ name: 'RateLimitError', code: 'RATE_LIMIT_EXCEEDED' }]);
      expect(late.sent).toHaveLength(3);
    });

    it('a success that the API did not answer is a WaymarkError', async () => {
      const get = `
      try:
          await waymark.links.get("a")
      except WaymarkError as error:
          show(str(error))`;
      const told = async (...answers: [ScriptedAnswer]) => String((await call(client, get, ...answers)).shown);
      expect(await told(answer('<h1>', 200, { 'content-type': 'text/html' }))).toMatch(/^No answer of Waymark.*html/);
      expect(await told((response) => response.setHeader('content-type', 'application/json').end('{'))).toMatch(
        /^No answer of Waymark.*JSON/,
      );
    });

    it('a call is repeated while the first one with its key still runs, and not where its slug is taken', async () => {
      const running = refuse('ALREADY_EXIST', 409, { 'retry-after': '0' });
      expect((await call(client, make, running, answer({ id: 'a' }))).sent).toHaveLength(2);
      const taken = await call(client, make, refuse('ALREADY_EXIST', 409));
      expect(taken.shown).toMatchObject([{ name: 'AlreadyExistsError', retry_after_seconds: null }]);
      expect(taken.sent).toHaveLength(1);
    });

    it('a call is not repeated where the API asks for more than a minute', async () => {
      const { shown, sent } = await call(client, make, refuse('SERVICE_UNAVAILABLE', 503, { 'retry-after': '61' }));
      expect(shown).toMatchObject([{ name: 'ServiceUnavailableError', retry_after_seconds: 61 }]);
      expect(sent).toHaveLength(1);
    });

    it('a call without an answer is repeated where a second one does no harm', async () => {
      expect((await call(client, make, breakOff, answer({ id: 'a' }))).shown).toEqual([{ id: 'a' }]);
      const change = 'show(await waymark.links.update("a b/c", title="Spring"))';
      const failed = refuse('INTERNAL_SERVER_ERROR', 500, { 'retry-after': '0' });
      const { shown, sent } = await call(client, change, failed, answer({ id: 'a' }));
      expect(shown).toEqual([{ id: 'a' }]);
      expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(2).fill('PATCH /short-link/a%20b%2Fc'));
      for (const lost of [breakOff, failed]) {
        const remove = `
      try:
          await waymark.links.delete("a")
      except WaymarkError as error:
          show(type(error).__name__)`;
        const deleted = await call(client, remove, lost);
        expect(deleted.sent).toHaveLength(1);
        expect(deleted.shown).toEqual([lost === breakOff ? 'WaymarkConnectionError' : 'InternalServerError']);
      }
    });

    it('an id that leads to another call calls nothing', async () => {
      const remove = `
      for id in ["", ".", "..", None]:
          try:
              await waymark.members.remove(id)
          except ValueError as error:
              show(str(error))`;
      const { shown, sent } = await call(client, remove, answer({}));
      expect(shown).toEqual(["''", "'.'", "'..'", 'None'].map((id) => `This is no id: ${id}`));
      expect(sent).toEqual([]);
    });

    it('options of a call replace those of the client', async () => {
      const { shown, sent } = await call(
        client,
        `
      try:
          await waymark.webhooks.create(url="https://hooks.example.com", events=[], headers={"A": "b"},
              idempotency_key="order-1", max_retries=0, extra_headers={"If-Match": '"1"'}, on_response=show)
      except ApiError as error:
          show(error.status)
      await waymark.organization.get(on_response=lambda response: show(response.headers["etag"]))
      try:
          await waymark.organization.get(timeout=0.2, max_retries=0)
      except WaymarkTimeoutError as error:
          show(str(error))`,
        refuse('SERVICE_UNAVAILABLE', 503),
        answer({}, 200, { etag: '"2"' }),
        () => {},
      );
      expect(shown).toEqual([503, '"2"', 'No answer came within 0.2 s.']);
      expect(sent[0]?.headers).toMatchObject({ 'idempotency-key': 'order-1', 'if-match': '"1"' });
      expect(JSON.parse(String(sent[0]?.body))).toMatchObject({ headers: { A: 'b' } });
      expect(sent[1]?.headers).not.toHaveProperty('idempotency-key');
    });

    it('a list is read item by item, by cursors and in the largest pages', async () => {
      const read = 'show([item async for item in waymark.links.list(search="a", states=["active", "expired"])])';
      const pages = [answer({ data: [1, 2], nextCursor: 'n' }), answer({ data: [3], nextCursor: null })] as const;
      const { shown, sent } = await call(client, read, ...pages);
      expect(shown).toEqual([[1, 2, 3]]);
      const query = '/short-link/list?search=a&states=active&states=expired&limit=50';
      expect(sent.map(({ url }) => url)).toEqual([query, `${query}&cursor=n`]);
    });

    it('a list without cursors is read by the number of the page', async () => {
      const read = 'show([page["data"] async for page in waymark.utm_templates.list(limit=2).pages()])';
      const pages = [answer({ data: [1, 2], count: 3 }), answer({ data: [3], count: 3 })] as const;
      const { shown, sent } = await call(client, read, ...pages);
      expect(shown).toEqual([[[1, 2], [3]]]);
      expect(sent.map(({ url }) => url)).toEqual(['/utm-template/list?limit=2', '/utm-template/list?limit=2&page=1']);
    });

    it('a list whose cursor never ends is read until it has no more, and a loop that is left reads no further', async () => {
      const endless = answer({ data: [1], nextCursor: 'end', hasMore: false });
      const all = await call(client, 'show([event async for event in waymark.events.list()])', endless);
      expect(all.shown).toEqual([[1]]);
      const left = await call(
        client,
        `
      async for link in waymark.links.list():
          break
      show(link)`,
        answer({ data: [1, 2], nextCursor: 'n' }),
      );
      expect(left).toMatchObject({ shown: [1], sent: [{}] });
    });

    it('one page is read as the query asks', async () => {
      const page = client === 'Waymark' ? '.page()' : '';
      const { shown, sent } = await call(
        client,
        `show(await waymark.stats.list_clicks(cursor="c")${page})`,
        answer({ data: [], nextCursor: null }),
      );
      expect(shown).toEqual([{ data: [], nextCursor: null }]);
      expect(sent.map(({ url }) => url)).toEqual(['/stats/clicks?cursor=c']);
    });

    it('files are uploaded from bytes and open files, again in the next attempt', async () => {
      const path = join(sdk.folder, 'links.csv');
      writeFileSync(path, 'url,slug');
      const { sent } = await call(
        client,
        `
      with open(${JSON.stringify(path)}, "rb") as file:
          await waymark.imports.create(file=file, format="bitly", folderId="a")
      await waymark.files.upload_qr_code_image(file=b"picture")`,
        refuse('SERVICE_UNAVAILABLE', 503, { 'retry-after': '0' }),
        answer({}),
      );
      expect(sent.map(({ url }) => url)).toEqual(['/short-link/import', '/short-link/import', '/files/qr-code-image']);
      for (const { body } of sent.slice(0, 2)) {
        expect(String(body)).toMatch(/name="file"; filename="links\.csv"\r\n.*\r\n\r\nurl,slug\r\n/);
        expect(String(body)).toMatch(/name="format"\r\n\r\nbitly\r\n/);
        expect(String(body)).toMatch(/name="folderId"\r\n\r\na\r\n/);
        expect(String(body)).not.toContain('domainId');
      }
      expect(String(sent[2]?.body)).toMatch(/name="file"; filename="file"\r\n.*\r\n\r\npicture\r\n/s);
    });
  });

  it('answers are bytes, text, nothing or an address by their kind, and no redirect is followed', async () => {
    const { shown } = await call(
      'Waymark',
      `
      show(repr(waymark.links.draw_qr_code("a")))
      show(waymark.links.export())
      show(waymark.links.draw_site_icon(url="https://example.com"))
      show(waymark.auth.finish_oidc(code="c", state="s"))
      try:
          waymark.links.get("a")
      except ApiError as error:
          show_error(error)`,
      answer(1, 200, { 'content-type': 'image/svg+xml' }),
      answer('a', 200, { 'content-type': 'text/csv; charset=utf-8' }),
      answer('', 204),
      answer('', 302, { location: 'https://app.example.com/' }),
      answer('', 302, { location: 'https://other.example.com/', 'x-request-id': 'proxy-1' }),
    );
    const text = 'The answer has the status 302 and no error of Waymark.';
    const redirect = { name: 'ApiError', text, status: 302, code: null, request_id: 'proxy-1', issues: [] };
    expect(shown).toEqual([
      "b'1'",
      '"a"',
      null,
      'https://app.example.com/',
      { ...redirect, retry_after_seconds: null },
    ]);
  });

  it('a key or an address that cannot be right is refused at once, and no message holds a key', async () => {
    await using server = await startScriptedServer(answer({ id: 'a' }));
    const shown = await python(
      `
for options in [{"api_key": "wm_live_a\\nb"}, {"base_url": "localhost:3000"}, {"base_url": ""}, {"base_url": "https://a.example/#b"}]:
    try:
        Waymark(**{"base_url": "https://api.example.com", **options})
    except ValueError as error:
        show(str(error))
try:
    Waymark(base_url=os.environ["API"]).links.get("a", extra_headers={"x-api-key": "wm_live_a\\nb"})
except WaymarkConnectionError as error:
    show(str(error))`,
      { API: server.address },
    );
    expect(shown).toEqual([
      'api_key has characters that no key has.',
      'base_url is an address like https://api.example.com, not "localhost:3000".',
      'base_url is an address like https://api.example.com, not "".',
      'base_url is an address like https://api.example.com, not "https://a.example/#b".',
      'The call cannot be sent (LocalProtocolError).',
    ]);
    const get = 'Waymark(base_url=os.environ["API"], api_key="wm_live_a\\n").links.get("a")';
    await python(get, { API: server.address });
    expect(server.sent[0]?.headers).toMatchObject({ 'x-api-key': 'wm_live_a' });
  });

  it('each error code of the description has a class of its own', async () => {
    const document = JSON.parse(readFileSync(join(root, 'sdk/typescript/src/generated/openapi.json'), 'utf8')) as {
      components: { schemas: { ApiError: { properties: { code: { enum: string[] } } } } };
    };
    const codes = document.components.schemas.ApiError.properties.code.enum;
    const answers = codes.map((code) => refuse(code, 400)) as [ScriptedAnswer];
    const { shown } = await call(
      'Waymark',
      `for _ in range(${codes.length}):
          try:
              waymark.organization.get()
          except ApiError as error:
              show(type(error).__name__)`,
      ...answers,
    );
    expect(new Set(shown).size).toBe(codes.length);
    expect(shown).not.toContain('ApiError');
  });

  it('webhooks are verified by both schemes, and refused where anything in them is another', async () => {
    const nowSeconds = 1_795_309_633;
    const [secret, previous, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
    const body = '{"id":"a","type":"link.deleted","data":{"text":"Grüße 🙂"}}';
    const sign = (header = 'X-Service-Signature'): Record<string, string> =>
      signMessage({ id: 'a', timestamp: nowSeconds, body }, { current: secret, previous }, header);
    const right = { body, headers: sign(), secret, now_seconds: nowSeconds };
    const lists = Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name.toUpperCase(), [value]]));
    const broken = { ...sign(), 'webhook-signature': 'v1,%', 'X-Service-Signature': 'sha256=00' };
    const both = [
      [right, true],
      [{ ...right, headers: lists }, true],
      [{ ...right, body: body.replace('a', 'b') }, false],
      [{ ...right, secret: `${secret}\n` }, true],
      [{ ...right, secret: other }, false],
      [{ ...right, secret: '' }, false],
      [{ ...right, body: JSON.parse(body) as object }, false],
      [{ ...right, headers: {} }, false],
      [{ ...right, headers: broken }, false],
    ] as const;
    const cases = [
      ...both,
      ...both.map(([given, isRight]) => [{ ...given, scheme: 'body' }, isRight] as const),
      // While the secret is exchanged.
      [{ ...right, secret: previous }, true],
      [{ ...right, now_seconds: nowSeconds + 301 }, false],
      [{ ...right, now_seconds: nowSeconds + 301, tolerance_seconds: 301 }, true],
      [{ ...right, headers: sign('X-Own'), scheme: 'body', signature_header: 'X-Own' }, true],
    ] as const;
    const shown = await python(
      `for case in json.loads(os.environ["CASES"]):
    body = case.pop("body")
    try:
        show(verify_webhook(body.encode() if isinstance(body, str) else body, **case) == verify_webhook(body, **case) == json.loads(body))
    except WebhookVerificationError:
        show(False)`,
      { CASES: JSON.stringify(cases.map(([given]) => given)) },
    );
    expect(shown).toEqual(cases.map(([, isRight]) => isRight));
  });
});

const prelude = `import asyncio, json, os
from waymark import *

def show(value):
    print(json.dumps(value), flush=True)

def show_error(error):
    fields = ("status", "code", "request_id", "issues", "retry_after_seconds")
    show({"name": type(error).__name__, "text": str(error), **{field: getattr(error, field) for field in fields}})
`;
