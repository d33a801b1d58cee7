import { describeBulkRows } from './bulk-rows.ts';
import { nameSchemasPlainly, removeUnused } from './components.ts';
import { addDefaults } from './defaults.ts';
import { describeFields } from './describe-fields.ts';
import { addEvents } from './events.ts';
import { addExamples } from './examples.ts';
import { addCommonHeaders } from './headers.ts';
import { simplifySchemas } from './generators.ts';
import { openAnswers } from './open-answers.ts';
import { tagsInOrder } from './parts.ts';
import { tidy } from './tidy.ts';
import type { OpenApi } from './types.ts';

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
    const isMain =
      rest.length === 0
        ? 0
        : rest.length === 1 && rest[0] === 'list'
          ? 1
          : rest.length === 1 && rest[0]!.startsWith('{')
            ? 2
            : 3;
    return [ranks.get(tag) ?? ranks.size, isMain];
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
