import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { nameOfEvent } from '#api/openapi/events.ts';
import { deliveredTypes } from '#core/webhooks/events.ts';
import { signMessage } from '#core/webhooks/signing.ts';
import { describeApi } from '#scripts/openapi.ts';

// Bodies are held against real events by webhooks.test.ts, and against /doc by test/api/openapi/events.test.ts.
const docs = join(import.meta.dirname, '../../docs');
const page = readFileSync(join(docs, 'webhook-events.md'), 'utf8');
const document = (await describeApi()) as {
  components: { schemas: Record<string, { properties: Record<'data', Schema> }> };
};
const [, secret = ''] = /```text\n(whsec_.*)\n```/.exec(page) ?? [];

interface Section {
  /** The example, as it is sent. */
  body: string;
  headers: Record<string, string>;
  /** The rows of the table, each a list of its cells. */
  fields: string[][];
}

/** The rows of tables of fields. */
function rowsOf(part: string): string[][] {
  return [...part.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
}

/** Fields that several types have, told once at the beginning of a chapter. */
const sharedFields = page
  .split(/^(?=##? )/m)
  .filter((chapter) => /^## (Links|Domains)\n/.test(chapter))
  .flatMap((chapter) => rowsOf(chapter.split(/^### /m)[0]!));
const isShared = (row: string[]): boolean => sharedFields.some((shared) => shared.join(' | ') === row.join(' | '));

/** The part of the page about a type of event. */
function sectionOf(type: string): Section {
  const part = page.split(/^#{2,3} /m).find((one) => one.startsWith(`${type}\n`)) ?? '';
  const [, shown = '{}'] = /```json\n([\s\S]*?)```/.exec(part) ?? [];
  const [, headers = ''] = /```text\n([\s\S]*?)```/.exec(part) ?? [];
  return {
    body: JSON.stringify(JSON.parse(shown)),
    headers: Object.fromEntries([...headers.matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value])),
    fields: rowsOf(part),
  };
}

interface Schema {
  type: string;
  format?: string;
  enum?: (string | null)[];
  nullable?: boolean;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

function typeOf({ type, format = '', enum: values, nullable = false }: Schema): string {
  const named: Record<string, string> = { uuid: 'UUID', 'date-time': 'moment', string: 'text', array: 'list of texts' };
  const text =
    values === undefined
      ? (named[format] ?? named[type] ?? type)
      : values.flatMap((value) => (value === null ? [] : `\`${value}\``)).join(', ');
  return nullable ? `${text} or null` : text;
}

/** The rows of a table of fields: name, type, meaning. */
function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => [
    [`\`${prefix}${name}\`${required.includes(name) ? '' : ', optional'}`, typeOf(field), field.description ?? ''],
    ...fieldsOf(field, `${prefix}${name}.`),
  ]);
}

test('the page of events has each type once, and no other', () => {
  const titles = [...page.matchAll(/^### (.*)$/gm)].map(([, title]) => title);
  expect(titles.toSorted()).toEqual([...deliveredTypes].toSorted());
});

test.each(deliveredTypes)('the page of events has the fields of %s as /doc has them', (type) => {
  const { data } = document.components.schemas[nameOfEvent(type)]!.properties;
  expect(sectionOf(type).fields).toEqual(fieldsOf(data).filter((row) => !isShared(row)));
});

test('the page of events has the fields that several types share as /doc has them', () => {
  const rows = deliveredTypes.flatMap((type) =>
    fieldsOf(document.components.schemas[nameOfEvent(type)]!.properties.data),
  );
  const known = new Set(rows.map((row) => row.join(' | ')));
  expect(sharedFields.length).toBeGreaterThan(10);
  expect(sharedFields.filter((row) => !known.has(row.join(' | ')))).toEqual([]);
});

test.each(deliveredTypes)('the example of %s on the page of events is signed as an attempt is', (type) => {
  const { body, headers } = sectionOf(type);
  const { id, createdAt } = JSON.parse(body);
  const timestamp = Number(headers['webhook-timestamp']);
  expect(timestamp).toBeGreaterThanOrEqual(Math.floor(Date.parse(createdAt) / 1_000));
  const secrets = { current: secret, previous: undefined };
  expect(headers).toEqual(signMessage({ id, timestamp, body }, secrets, 'X-Service-Signature'));
  // By the standard's own library and by hand, as receivers do.
  const signature = new Webhook(secret).sign(id, new Date(timestamp * 1_000), body);
  expect(headers['webhook-signature']).toBe(signature);
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  expect(headers['X-Service-Signature']).toBe(`sha256=${hex}`);
});
