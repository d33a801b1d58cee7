import { nameSchemasPlainly, removeUnused } from './components.ts';
import { describeFields } from './describe-fields.ts';
import { addEvents } from './events.ts';
import { addCommonHeaders } from './headers.ts';
import { simplifySchemas } from './generators.ts';
import { tagsInOrder } from './parts.ts';
import { tidy } from './tidy.ts';
import { forEachSchema, type OpenApi, operationsOf, referencesIn } from './types.ts';
import { readFileSync } from 'node:fs';
import { initialFlags } from '#core/links/fields.ts';
import { defaultFolderColor } from '#core/labels/label.ts';

const methodsInOrder = ['post', 'get', 'put', 'patch', 'delete'];

/** Finishes the generated document, step by step. @returns a copy. */
export function describeDocument<Generated extends object>(generated: Generated): Generated {
  const document = tidy(generated);
  removeUnused(document);
  nameSchemasPlainly(document);
  addDefaults(document);
  describeBulkRows(document);
  openAnswers(document);
  addEvents(document);
  describeFields(document);
  simplifySchemas(document);
  addExamples(document);
  addCommonHeaders(document);
  sort(document);
  return document as unknown as Generated;
}

/** Sorts paths by their part of the API; within a part what creates, lists and reads one thing comes first. */
function sort(document: OpenApi): void {
  const ranks = new Map<string, number>(tagsInOrder.map(({ name }, index) => [name, index]));
  const rankOf = ([path, operations]: [string, OpenApi['paths'][string]]): number[] => {
    const [tag = ''] = Object.values(operations)[0]?.tags ?? [];
    const [, , ...rest] = path.split('/');
    const mainParts = [/^$/, /^list$/, /^\{[^/]*$/];
    const main = mainParts.findIndex((part) => part.test(rest.join('/')));
    return [ranks.get(tag) ?? ranks.size, main === -1 ? mainParts.length : main];
  };
  const entries = Object.entries(document.paths)
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .toSorted((one, other) => one.rank[0]! - other.rank[0]! || one.rank[1]! - other.rank[1]!)
    .map(({ entry: [path, operations] }) => [
      path,
      Object.fromEntries(
        Object.entries(operations).toSorted(
          ([one], [other]) => methodsInOrder.indexOf(one) - methodsInOrder.indexOf(other),
        ),
      ),
    ]);
  document.paths = Object.fromEntries(entries);
  // By name: the registry of schemas orders them by the time at which they were made.
  const schemas = Object.entries(document.components.schemas).toSorted(([one], [other]) => (one < other ? -1 : 1));
  document.components.schemas = Object.fromEntries(schemas);
}

/**
 * Describes the rows of bulk calls as the bodies of the single calls. The routes take any row and check each by itself, so that a
 * wrong row does not refuse the others.
 */
function describeBulkRows({ components: { schemas } }: OpenApi): void {
  const { UpdateShortLink: update } = schemas;
  schemas.UpdateShortLinkRow = {
    ...update,
    description: 'Changes of one short link in a bulk call.',
    required: ['id'],
    example: { id: '01890000-0000-7000-8000-000000000000', isActive: false },
    properties: {
      ...update!.properties,
      id: { type: 'string', format: 'uuid', description: 'Id of the short link to change.' },
    },
  };
  for (const [bulk, row] of [
    ['CreateShortLinks', 'CreateShortLink'],
    ['UpdateShortLinks', 'UpdateShortLinkRow'],
  ] as const) {
    schemas[bulk]!.properties!.links!.items = { $ref: `#/components/schemas/${row}` };
  }
}

const plainExample = 'Contact: mailto:security@example.com\nExpires: 2030-12-31T23:59:59.000Z\n';

/** Gives each success answer with content an example: in JSON and CSV the answer that a test got. */
function addExamples(document: OpenApi): void {
  const answers = readAnswers();
  for (const { operationId, responses } of operationsOf(document)) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      if (!status.startsWith('2')) continue;
      for (const [type, media] of Object.entries(content)) {
        // A create and an update of an upsert are answered alike.
        if (type === 'application/json') media.example = answers[operationId]?.body;
        else if (type === 'text/csv') media.example = answers[operationId]?.csv;
        // Bytes have no form in JSON.
        else if (media.schema?.format !== 'binary') media.example = plainExample;
      }
    }
  }
}

/** An answer that a test got for the example of an operation's request. */
interface RealAnswer {
  status: number;
  /** Of an answer in JSON. */
  body?: unknown;
  csv?: string;
}

/** Real answers by operation; `test/api/openapi/answers.test.ts` compares and renews them. */
export function readAnswers(): Record<string, RealAnswer> {
  return JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as Record<string, RealAnswer>;
}

/**
 * Values of fields that a create leaves out, by schema. Schemas of creates and updates share their fields, and an update leaves
 * absent fields as they are, so the fields themselves do not tell.
 */
export const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  CreateShortLink: initialFlags,
  DestinationDraft: { enableDeepLinking: false },
  CreateFolder: { color: defaultFolderColor },
};

function addDefaults({ components: { schemas } }: OpenApi): void {
  for (const [name, fields] of Object.entries(defaults))
    for (const [field, value] of Object.entries(fields)) schemas[name]!.properties![field]!.default = value;
}

/**
 * Leaves schemas of answers open: later versions add fields, and a client that is generated from the description must not refuse
 * them. Bodies of requests stay closed, but for parts that they share with answers.
 */
function openAnswers(document: OpenApi): void {
  const { schemas } = document.components;
  const answers = operationsOf(document).map(({ responses }) => responses);
  const named = [...referencesIn(answers, schemas)].map((name) => schemas[name]);
  forEachSchema([answers, named], (schema) => {
    if (schema.additionalProperties === false) delete schema.additionalProperties;
  });
}
