import { readAnswers } from './answers.ts';
import type { Described } from './tidy.ts';

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  example?: unknown;
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
}

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Schema; example?: unknown }> }>;
}

// One link that all examples show, so that they agree with each other.
const valuesByName: Readonly<Record<string, unknown>> = {
  androidAssetLinks: null,
  androidDeepLink: null,
  appleAppSiteAssociation: null,
  browser: 'Firefox',
  city: 'Berlin',
  color: '#3366FF',
  continent: 'EU',
  count: 1,
  countries: ['DE'],
  country: 'DE',
  currentClicks: 42,
  description: 'Everything for spring, 20 % off.',
  device: 'mobile',
  disabledAt: null,
  disabledReason: null,
  domain: 'go.example.com',
  email: 'ada@example.com',
  error: null,
  expiredUrl: null,
  expiresAt: null,
  externalId: 'crm-4711',
  fallbackUrl: null,
  group: 'DE',
  iosDeepLink: null,
  isActive: true,
  isVerified: true,
  key: 'k3v9x2qp',
  lang: 'de',
  languages: null,
  last4: 'x7Qp',
  lastFailureAt: null,
  maxClicks: null,
  message: 'The resource does not exist.',
  mime: 'image/png',
  name: 'Spring',
  notes: null,
  originUrl: 'https://example.com/spring',
  os: 'Android',
  osTypes: null,
  qrCode: null,
  qrCodeId: null,
  referer: 'news.example.com',
  region: 'Berlin',
  requestId: '0195a1f0-6c1e-7c39-9a55-3f0d0f6f7c11',
  rowCount: 1,
  slug: 'spring-sale',
  threatTypes: [],
  title: 'Spring sale',
  totalClicks: 42,
  utmCampaign: 'spring',
  utmContent: null,
  utmMedium: 'email',
  utmSource: 'newsletter',
  utmTerm: null,
  value: 'https://example.com/spring',
};

const textExamples: Readonly<Record<string, string>> = {
  'text/csv': '"slug","destination"\n"spring-sale","https://example.com/spring"\n',
  'text/plain': 'Contact: mailto:security@example.com\nExpires: 2030-12-31T23:59:59.000Z\n',
};

/** Gives each success answer with content an example, made of the examples of its fields. Changes the document in place. */
export function withExamples(document: Described): Described {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!]!;
  const answers = readAnswers();
  for (const { operationId, responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue;
      for (const [type, media] of Object.entries(content)) {
        const real = answers[operationId];
        if (type === 'application/json' && real?.status === Number(status)) media.example = real.body;
        else if (type === 'application/json')
          media.example = exampleOf(media.schema, { name: '', parent: '', status: Number(status) }, resolve);
        // Bytes have no form in JSON.
        else if (media.schema.format !== 'binary') media.example = textExamples[type] ?? 'text';
      }
    }
  }
  return document;
}

interface Place {
  /** The field; empty: the whole answer. */
  name: string;
  /** The field that holds it. */
  parent: string;
  /** Status of the answer. */
  status: number;
}

function exampleOf(given: Schema, place: Place, resolve: (schema: Schema) => Schema): unknown {
  const schema = resolve(given);
  const { name } = place;
  const known = valuesByName[name];
  const isKnown = known !== undefined && isOfType(known, schema);
  // Nulls keep examples short, and free of dates that have passed.
  if (schema.example !== undefined && !(isKnown && known === null)) return schema.example;
  if (isKnown) return known;
  if (schema.enum !== undefined) return schema.enum[0];
  const parts = schema.allOf ?? schema.anyOf?.slice(0, 1);
  if (parts !== undefined) return exampleOf(parts[0]!, place, resolve);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => schema.required?.includes(field))
          .map(([field, part]) => [field, exampleOf(part, { ...place, name: field, parent: name }, resolve)]),
      );
    case 'array':
      return [exampleOf(schema.items ?? {}, place, resolve)];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return name === 'status' ? place.status : (schema.minimum ?? 1);
    case 'string':
      return stringOf(schema.format, place);
    default:
      return null;
  }
}

function isOfType(value: unknown, { type, nullable, enum: choices }: Schema): boolean {
  if (choices !== undefined) return choices.includes(value);
  if (value === null) return nullable === true;
  if (Array.isArray(value)) return type === 'array';
  return type === (Number.isInteger(value) ? 'integer' : typeof value);
}

function stringOf(format: string | undefined, { name, parent }: Place): string {
  if (format === 'uuid') return idOf(name === 'id' ? parent : name.replace(/Id$/, ''));
  if (format === 'date-time') return '2026-03-14T15:09:26.535Z';
  if (format === 'date') return '2026-03-14';
  return name.toLowerCase().endsWith('url') ? 'https://example.com/spring' : 'example';
}

/** One id for one thing, wherever it is shown: `domainId` equals `domain.id`. */
function idOf(thing: string): string {
  let sum = 0;
  for (const letter of thing) sum = (sum * 31 + letter.codePointAt(0)!) % 0x1_00_00;
  return `0195a1ef-9c0b-7a41-8f8e-0d6a5b1b${sum.toString(16).padStart(4, '0')}`;
}
