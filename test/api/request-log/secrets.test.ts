// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useFixture } from '#test/support/fixture.ts';
import { readDocument, type Schema } from '#test/support/openapi.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createWalker } from '#test/support/walker.ts';

const walker = useFixture(createWalker);

type Field = Schema & { 'x-secret'?: boolean; $ref?: string };

/** Every field that /doc names, with the schema or the operation that it is in. */
async function fieldsOfDoc(): Promise<{ owner: string; name: string; field: Field }[]> {
  const { paths, components } = await readDocument(walker.api);
  const fields: { owner: string; name: string; field: Field }[] = [];
  const look = (owner: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { properties = {} } = value as { properties?: Record<string, Field> };
    for (const [name, field] of Object.entries(properties)) fields.push({ owner, name, field });
    for (const part of Object.values(value)) look(owner, part);
  };
  for (const [name, schema] of Object.entries(components.schemas)) look(name, schema);
  for (const [path, methods] of Object.entries(paths)) look(path, methods);
  return fields;
}

const suspicious = /password|passphrase|secret|token|credential|^key$|code|authorization|cookie|joinUrl|headers/i;
// What is named after a secret and is none: names, times and flags.
const harmless = new Set([
  'code',
  'countryCode',
  'errorCode',
  'hasPassword',
  'headerNames',
  'oldSecretUntil',
  'qrCode',
  'qrCodeId',
  'qrCodeTemplate',
  'responseCode',
  'nextCursor',
  'isQrCode',
  // Of errors under /auth/ alone.
  'ApiError.token',
  'FailedRow.token',
  // Names of files.
  'MetaTags.key',
  'StoredFile.key',
  'StoredFileItem.key',
]);
// Of paths under /auth/ no bodies are kept.
const underAuth =
  /^\/auth\/|SignIn|Password|Recovery|Totp|Passkey|SecondFactor|Confirm|Invitation$|AcceptInvitation|JoinBy|InvitationToken|Session/;

const isFile = (value: object): boolean => 'mime' in value;

describe('secrets', () => {
  it('each field of /doc that is named as a secret is declared as one, or known to be none', async () => {
    const undeclared = (await fieldsOfDoc()).filter(
      ({ owner, name, field }) =>
        suspicious.test(name) &&
        field['x-secret'] !== true &&
        !harmless.has(name) &&
        !harmless.has(`${owner}.${name}`) &&
        !underAuth.test(owner),
    );
    expect(undeclared.map(({ owner, name }) => `${owner}.${name}`)).toEqual([]);
    const declared = (await fieldsOfDoc()).filter(({ field }) => field['x-secret'] === true);
    expect([...new Set(declared.map(({ name }) => name))].toSorted()).toEqual([
      'clientSecret',
      'headers',
      'joinUrl',
      'key',
      'password',
      'progressToken',
      'secret',
    ]);
  });

  it('no secret that any operation takes or answers stands in the request log', { tags: 'nightly' }, async () => {
    const names = new Set((await fieldsOfDoc()).filter(({ field }) => field['x-secret']).map(({ name }) => name));
    const { api, operations, description } = walker;
    const sent = 'sent-secret-5f0c7b';
    const secrets = new Set([sent]);
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, part] of Object.entries(value)) {
        if (names.has(name) && typeof part === 'string' && !isFile(value)) secrets.add(part);
        else collect(part);
      }
    };
    for (const operation of operations) {
      const example = exampleOf(operation, description.resolve);
      const headers = await walker.allowedHeaders(operation);
      for (const value of Object.values(headers))
        if (value !== undefined && !value.startsWith('http')) secrets.add(value);
      const { body, ...rest } = example;
      const isObject = typeof body === 'object' && body !== null;
      const withSecrets = isObject
        ? {
            password: sent,
            clientSecret: sent,
            headers: { Authorization: sent },
            unknownToken: sent,
            links: [{ password: sent }],
          }
        : {};
      // As it is described, with secrets where schemas have them, and with secrets that no schema knows.
      collect((await walker.call(operation, example, headers)).body);
      if (!isObject) continue;
      collect((await walker.call(operation, { ...rest, body: { ...body, ...withSecrets } }, headers)).body);
      for (const [name, value] of Object.entries(withSecrets))
        collect((await walker.call(operation, { ...rest, body: { ...body, [name]: value } }, headers)).body);
    }
    await api.requestLog.flush();
    const { rows } = await api.db.query<{ text: string; route: string }>(
      'select to_jsonb(r)::text as text, route from request_log r',
    );
    const leaks = rows.filter(({ text }) =>
      [...secrets].some((secret) => text.includes(JSON.stringify(secret).slice(1, -1))),
    );
    expect(leaks.map(({ text }) => text)).toEqual([]);
    const routes = new Set(rows.map(({ route }) => route));
    expect(
      operations.filter(({ path, caller }) => caller === 'key' && !routes.has(path)).map(({ name }) => name),
    ).toEqual(['GET /request-log', 'GET /request-log/{id}']);
    // Values that answers have shown once are among the secrets.
    expect([...secrets].some((secret) => secret.startsWith('whsec_'))).toBe(true);
    expect([...secrets].filter((secret) => secret.startsWith('wm_live_')).length).toBeGreaterThan(1);
    expect(rows.filter(({ text }) => text.includes('***')).length).toBeGreaterThan(10);
  });
});
