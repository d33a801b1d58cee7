import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { text } from '#core/lib/schemas.ts';
import { cursorShape, inOrder, momentsShape, optionalInteger, searchSchema } from '#api/query.ts';
import { logPageSchema, momentSchema } from '#api/schemas.ts';
import type { findLoggedCall, LoggedCallView } from '#db/request-log/request-log.ts';

const id = z.guid();
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const callers = ['key', 'member'] as const;

export const requestLogQuerySchema = inOrder(
  z.strictObject({
    status: z
      .string()
      .regex(/^[1-5](?:xx|\d\d)$/, 'must be a status, as 404, or a class of them, as 4xx')
      .optional()
      .describe('A status, or a class of them: `404`, `4xx`.')
      .meta({ example: '4xx' }),
    method: z.enum(methods).optional().describe('Calls by this method.'),
    route: text({ max: 200 })
      .optional()
      .describe('A path as this description names it, for calls of whichever id.')
      .meta({ example: '/short-link/{id}' }),
    search: searchSchema.describe('A part of the path, without regard to case.'),
    by: z.enum(callers).optional().describe('Calls by API keys, or by members who were signed in.'),
    keyId: idSchema.optional().describe('Calls with this API key.'),
    userId: idSchema.optional().describe('Calls by this member, or with keys of this user.'),
    requestId: idSchema.optional().describe('The call whose answer had this X-Request-Id.'),
    ...momentsShape,
    limit: optionalInteger(0, 50, 50),
    ...cursorShape,
  }),
  [['since', 'until']],
);

const callShape = {
  id: id.describe('The X-Request-Id of the answer, and the `requestId` of an error.'),
  at: momentSchema.describe('When the call came, UTC.'),
  method: z.string().describe('The method of the call.').meta({ example: 'POST' }),
  route: z
    .string()
    .nullable()
    .describe('The path as this description names it; null: there is no such path.')
    .meta({ example: '/short-link/{id}' }),
  path: z
    .string()
    .describe('The path as it was called, at most 2,000 characters.')
    .meta({ example: '/short-link/0195a1ef-9c0b-7a41-8f8e-0d6a5b1b7e02' }),
  query: z
    .string()
    .nullable()
    .describe('The query as it was written, at most 2,000 characters; null without one.')
    .meta({ example: 'withCounts=true' }),
  status: z.int().describe('The status of the answer.').meta({ example: 404 }),
  code: z.string().nullable().describe('The `code` of the error; null of a success.').meta({ example: 'NOT_FOUND' }),
  latencyMs: z.number().describe('Milliseconds from the call to the end of the answer.').meta({ example: 12.3 }),
  by: z
    .strictObject({
      type: z.enum(callers).describe('An API key, or a member who was signed in.'),
      userId: id.describe('The member, or the user of the key.'),
      keyId: id.nullable().describe('The API key; null without one.'),
      name: z.string().nullable().describe('Present name of the key or of the member.').meta({ example: 'Newsletter' }),
    })
    .describe('The caller.'),
};

const partShape = {
  type: z.string().nullable().describe('Its media type; null without one.').meta({ example: 'application/json' }),
  bytes: z.int().nullable().describe('Its size; null where it is not known.').meta({ example: 512 }),
};

const bodyShape = {
  ...partShape,
  body: z
    .string()
    .nullable()
    .describe(
      'The JSON, secrets masked by `***`, at most 8,192 characters; null of files, under /auth/, without a body, and where the organization has filled its share of the hour.',
    )
    .meta({ example: '{"title":"Spring"}' }),
  isTruncated: z.boolean().describe('Whether there was more than `body`.'),
};

const loggedCallSchema = z
  .strictObject({
    ...callShape,
    request: z.strictObject(partShape).describe('The body of the call.'),
    answer: z.strictObject(partShape).describe('The body of the answer.'),
  })
  .meta({ id: 'LoggedCall', description: 'A call of the API.' });

export const loggedCallWithBodiesSchema = z
  .strictObject({
    ...callShape,
    request: z.strictObject(bodyShape).describe('The body of the call.'),
    answer: z.strictObject(bodyShape).describe('The body of the answer.'),
  })
  .meta({ id: 'LoggedCallWithBodies', description: 'A call of the API, with its body and the body of its answer.' });

export const requestLogPageSchema = logPageSchema(loggedCallSchema, 'RequestLogPage', 'A page of the request log.');

export type LoggedCall = z.output<typeof loggedCallSchema>;

type FoundCall = NonNullable<Awaited<ReturnType<typeof findLoggedCall>>>;

export function presentLoggedCall(view: LoggedCallView): LoggedCall {
  const { callerId: userId, callerName: name, keyId, at, ...own } = view;
  const { requestType, requestBytes, answerType, answerBytes, ...rest } = own;
  return {
    ...rest,
    at: at.toISOString(),
    by: { type: keyId === null ? 'member' : 'key', userId, keyId, name },
    request: { type: requestType, bytes: requestBytes },
    answer: { type: answerType, bytes: answerBytes },
  };
}

export function presentLoggedCallWithBodies(found: FoundCall): z.output<typeof loggedCallWithBodiesSchema> {
  const { requestBody, isRequestCut, answerBody, isAnswerCut, ...view } = found;
  const { request, answer, ...call } = presentLoggedCall(view);
  return {
    ...call,
    request: { ...request, body: requestBody, isTruncated: isRequestCut },
    answer: { ...answer, body: answerBody, isTruncated: isAnswerCut },
  };
}
