import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import { invalid, invalidFields, type Issue } from '../../core/errors.ts';

/** For routes that take no body or no query: whatever is sent is refused by name. */
export const nothingSchema = z.strictObject({});
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Settings of `validation`. */
export interface ValidationOptions {
  /** Whether answers are checked against their schemas too: in tests. */
  checkAnswers: boolean;
}

/** Bodies are strict JSON in UTF-8; every schema is Zod; every failing field is named (1.2, 1.5). */
export const validation = fp(
  async (app: FastifyInstance, { checkAnswers }: ValidationOptions) => {
    app.removeContentTypeParser(['application/json', 'text/plain']);
    // The framework's own parser refuses dangerous keys without naming them; strict schemas name them.
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
      parseJson(body),
    );
    app.addHook('onRoute', ({ schema }) => {
      // A route that takes no query refuses one.
      if (schema !== undefined && !schema.hide) schema.querystring ??= nothingSchema;
    });
    app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (data: unknown) => {
      // Without a body the framework hands over null; a body that is the JSON null is none either.
      const isMissing = data === undefined || data === null;
      if (httpPart === 'body' && isMissing && schema !== nothingSchema) {
        return { error: invalid('', 'A body is required.') };
      }
      const result = schema.safeParse(isMissing ? {} : data);
      return result.success ? { value: result.data } : { error: invalidFields(toIssues(result.error.issues)) };
    });
    app.setSerializerCompiler<z.ZodType>(({ schema }) => {
      if (!checkAnswers) return (data) => JSON.stringify(data);
      return (data) => JSON.stringify(schema.parse(data));
    });
  },
  { name: 'validation', fastify: '5.x' },
);

function parseJson(body: Buffer): unknown {
  // Clients name the type also where they send nothing; a schema that wants a body says so.
  if (body.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalid('', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('', 'The body is not valid JSON.');
  }
}

/** Names every failing field of what a schema refused. */
export function toIssues(issues: readonly z.core.$ZodIssue[], parent: readonly PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue): Issue[] => {
    const path = [...parent, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ path: toPath([...path, key]), message: 'is not a known field' }));
    }
    if (issue.code === 'invalid_union') {
      // The alternative that got furthest is the one that was meant.
      const nearest = issue.errors.find((errors) =>
        errors.some((error) => error.path.length > 0 || error.code !== 'invalid_type'),
      );
      if (nearest !== undefined) return toIssues(nearest, path);
    }
    return [{ path: toPath(path), message: toMessage(issue) }];
  });
}

const toPath = (path: readonly PropertyKey[]): string => path.map(String).join('.');

function toMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith('received undefined'))
    return 'is required';
  return issue.message;
}
