import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { z } from 'zod';
import { AppError, invalid, invalidFields } from '#core/errors/errors.ts';
import '#core/errors/issues.ts';
import { bodyLimits, codingProblem, structureProblem } from '#api/limits/body-limits.ts';
import { type IssueList, toIssues } from '#core/errors/issues.ts';
import { UploadedFile } from './multipart.ts';

/** The schema of routes without body or query: any field is refused by name. */
export const nothingSchema = z.strictObject({});
const bodiless = new Set(['GET', 'HEAD']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as the client sent it, before a schema filled it; undefined without one. */
    sentBody: unknown;
  }
}

interface ValidationOptions {
  /** Whether answers are checked against their schemas too: in tests. */
  checkAnswers: boolean;
}

/** Parses bodies as strict JSON in UTF-8 and validates them by Zod; every invalid field is named (1.2, 1.5). */
export const validation = fp(
  async (app: FastifyInstance, { checkAnswers }: ValidationOptions) => {
    app.decorateRequest('sentBody', undefined);
    app.removeContentTypeParser(['application/json', 'text/plain']);
    // Fastify's parser refuses `__proto__` without naming it; strict schemas name it.
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        try {
          refuseUnread(request, body);
          return (request.sentBody = parseJson(body));
        } catch (error) {
          throw Object.assign(error as Error, { validationContext: unreadBody });
        }
      },
    );
    app.addHook('onRoute', (route) => {
      const { schema, method } = route;
      if (route.url.startsWith('/auth/')) route.bodyLimit = bodyLimits.auth;
      if (schema === undefined || schema.hide) return;
      // A route without query or body schema refuses any. Fastify reads no body of GET and HEAD.
      schema.querystring ??= nothingSchema;
      if (![method].flat().every((one) => bodiless.has(one))) schema.body ??= nothingSchema;
    });
    app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (data: unknown) => {
      const { value, wrong } = check(schema, httpPart, data);
      return wrong === undefined ? { value } : { error: invalidFields(wrong.issues, wrong.moreIssues) };
    });
    app.setSerializerCompiler<z.ZodType>(({ schema }) => {
      if (!checkAnswers) return (data) => JSON.stringify(data);
      return (data) => JSON.stringify(schema.parse(data));
    });
  },
  { name: 'validation', fastify: '5.x' },
);

/** The part of a request at which its validation stopped, where the body could not be read. */
export const unreadBody = 'unread body';

/**
 * Issues of the parts of a request that Fastify did not validate, because it stops at the first invalid part (1.2), and of the content
 * of an uploaded file.
 * @param part the part at which it stopped.
 */
export async function issuesAfter(part: string, request: FastifyRequest): Promise<IssueList[]> {
  const { routeOptions, params, body, query } = request;
  const schemas = (routeOptions.schema ?? {}) as Record<string, z.ZodType | undefined>;
  const later = [
    { name: 'params', data: params },
    ...(part === unreadBody ? [] : [{ name: 'body', data: body }]),
    { name: 'querystring', data: query },
  ];
  const lists = later.slice(later.findIndex(({ name }) => name === part) + 1).flatMap(({ name, data }) => {
    const schema = schemas[name];
    return schema === undefined ? [] : (check(schema, name, data).wrong ?? []);
  });
  return [...lists, await issuesOfFile(request)];
}

async function issuesOfFile(request: FastifyRequest): Promise<IssueList> {
  const { file } = (request.body ?? {}) as { file?: unknown };
  if (!(file instanceof UploadedFile) || !file.isWhole()) return { issues: [], moreIssues: 0 };
  try {
    await request.routeOptions.config.multipart?.check(file, request);
    return { issues: [], moreIssues: 0 };
  } catch (error) {
    // The call fails anyway; what else the check met, the next call meets again.
    return { issues: (error instanceof AppError && error.details.issues) || [], moreIssues: 0 };
  }
}

/** A VALIDATION_ERROR about a header, with every wrong field of the path, the query and the body beside it (1.2). */
export async function invalidHeader(request: FastifyRequest, name: string, message: string): Promise<AppError> {
  const others = await issuesAfter('headers', request);
  return invalidFields(
    [{ path: name, message }, ...others.flatMap(({ issues }) => issues)],
    others.reduce((sum, { moreIssues }) => sum + moreIssues, 0),
  );
}

type Checked = { value: unknown; wrong?: undefined } | { value?: undefined; wrong: IssueList };

function check(schema: z.ZodType, part: string | undefined, data: unknown): Checked {
  // Fastify passes null without a body; the JSON null counts as no body too.
  const isMissing = data === undefined || data === null;
  if (part === 'body' && isMissing && schema !== nothingSchema && !schema.isOptional()) {
    return { wrong: { issues: [{ path: '', message: 'A body is required.' }], moreIssues: 0 } };
  }
  const result = schema.safeParse(isMissing ? {} : data);
  if (result.success) return { value: result.data };
  const { issues } = result.error;
  return { wrong: toIssues(part === 'querystring' ? issues.map((issue) => nameRepeated(issue, data)) : issues) };
}

/** In a query a list where the schema wants one value comes of a repeated name. */
function nameRepeated(issue: z.core.$ZodIssue, query: unknown): z.core.$ZodIssue {
  const isAboutType = issue.code === 'invalid_type' || issue.code === 'invalid_value';
  const [name, ...rest] = issue.path;
  const isRepeated = rest.length === 0 && Array.isArray((query as Record<PropertyKey, unknown>)[name ?? '']);
  return isAboutType && isRepeated ? { ...issue, message: 'may be given only once' } : issue;
}

/** @throws AppError VALIDATION_ERROR before the body is parsed. */
export function refuseUnread({ headers, routeOptions }: FastifyRequest, body: Buffer): void {
  const problem = codingProblem(headers['content-encoding']) ?? structureProblem(body, routeOptions.bodyLimit);
  if (problem !== undefined) throw invalid('', problem);
}

function parseJson(body: Buffer): unknown {
  // Some clients send the content type without a body; the schema reports a required body.
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
