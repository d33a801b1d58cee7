import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type ErrorCode, errorCatalogue, takenReasons } from '#core/errors/errors.ts';
import { text } from '#core/lib/schemas.ts';
import { idSchema } from '#core/links/draft.ts';
import { secondFactorMethods } from '#core/accounts/second-factors.ts';

export const idParamsSchema = z.strictObject({ id: idSchema });

export const deletedSchema = z.strictObject({ rowCount: z.int() });

// RFC 5321 §4.5.3.1.3: 256 with the angle brackets.
const longestEmail = 254;
/** An e-mail address as people send it. Commands fold its case before they compare it. */
export const emailInputSchema = text({ max: longestEmail })
  .overwrite((value) => value.trim())
  .pipe(z.email('must be an e-mail address'));

/** A time in answers: ISO 8601, UTC, milliseconds. */
export const momentSchema = z.iso.datetime().meta({ example: '2026-03-14T15:09:26.535Z' });

export const callingClientSchema = z
  .string()
  .nullable()
  .describe('The MCP client through which the caller acted, by the name that it gives itself; null for other calls.')
  .meta({ example: 'Claude Desktop' });

/** Why the operator has taken something down, and when. */
export const takenDownSchema = z.strictObject({
  at: momentSchema.describe('When, UTC.'),
  reason: z.string().describe('The words of the operator.').meta({ example: 'Reported as phishing.' }),
});

/** The number of links of a row, where it is asked for. */
export const linksCountSchema = z
  .int()
  .optional()
  .describe('Number of links, archived ones too; only with `withCounts`.');

/** A page of a list with its total. @param id name of the schema in the description of the API. */
export function pageSchema<Item extends z.ZodType>(item: Item, id: string, description: string) {
  return z.strictObject(pageShape(item)).meta({ id, description });
}

const pageShape = <Item extends z.ZodType>(item: Item) => ({
  count: z.int().describe('How many match, on all pages.'),
  data: z.array(item),
});

/** `nextCursor` of a page: every list that has one ends it in the same way. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .describe('Sent as `cursor`, it continues the list after the last row of this page; null on the last page.');

/** A page of a list with its total, which a cursor continues. @param id name of the schema in the description of the API. */
export function cursorPageSchema<Item extends z.ZodType>(item: Item, id: string, description: string) {
  return z.strictObject({ ...pageShape(item), nextCursor: nextCursorSchema }).meta({ id, description });
}

/** A page of a log, which has no total. @param id name of the schema in the description of the API. */
export function logPageSchema<Item extends z.ZodType>(item: Item, id: string, description: string) {
  const data = z.array(item).describe('Most recent first.');
  return z.strictObject({ data, nextCursor: nextCursorSchema }).meta({ id, description });
}

export const binarySchema = z.any().meta({ type: 'string', format: 'binary' });

/** A streamed CSV answer. */
export const csvSchema = z.custom<Readable>().meta({ type: 'string' });

export const supportContactSchema = z
  .string()
  .nullable()
  .describe('Where to ask the operator, as a URI (SUPPORT_CONTACT); null: not told.')
  .meta({ example: 'mailto:help@example.com' });

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

export const errorSchema = z
  .object({
    code: z.enum(codes),
    message: z.string(),
    requestId: z.string().describe('The value of the header X-Request-Id.'),
    resource: z.string().optional().describe('With ACTION_NOT_ALLOWED.'),
    action: z.string().optional().describe('With ACTION_NOT_ALLOWED.'),
    reason: z
      .string()
      .optional()
      .describe(
        `With ALREADY_EXIST: what is taken (${takenReasons.join(', ')}); \`still-running\`: the first call with the Idempotency-Key, send it again after Retry-After. With FORBIDDEN: why the operator has suspended the organization, or taken the link down; \`no-organization\`: the person who signs in is no member of an organization.`,
      ),
    supportContact: supportContactSchema
      .optional()
      .describe(
        'With the FORBIDDEN of a suspended organization: where to ask the operator, as a URI (SUPPORT_CONTACT); null: not told.',
      ),
    issues: z
      .array(
        z.object({
          path: z.string().describe('Path of the field, with dots: rules.0.countries.'),
          message: z.string(),
        }),
      )
      .optional()
      .describe(
        "With VALIDATION_ERROR: every wrong field, at most 100. With NOT_FOUND and FORBIDDEN: the field of the body that names what is not there, or not the caller's. With CONFLICT of an undo: the fields that prevent it.",
      ),
    moreIssues: z.int().optional().describe('Number of wrong fields beyond the ones in issues.'),
    token: z
      .string()
      .optional()
      .describe('With SECOND_FACTOR_REQUIRED: the sign-in, for POST /auth/login/second-factor.'),
    expiresInSeconds: z.int().optional().describe('With SECOND_FACTOR_REQUIRED: how long the token works.'),
    methods: z
      .array(z.enum(['password', ...secondFactorMethods]))
      .optional()
      .describe(
        'With SECOND_FACTOR_REQUIRED and CONFIRMATION_REQUIRED: by what the person may show that it is them. Empty: by a new sign-in.',
      ),
  })
  .meta({ id: 'ApiError', description: 'The body of every error.' });

const descriptions = {
  400: 'Invalid parameters or body.',
  401: 'There is no valid API key, and no user is signed in.',
  403: 'Not allowed, or a limit of the plan is reached.',
  404: 'The resource does not exist.',
  409: 'A resource with this identifier exists already.',
  429: 'Too many requests.',
  500: 'An error of the server.',
  503: 'The service is not available for the moment.',
} as const;

// Six hundred routes and statuses share eight schemas: each describe() clones one.
const errors = new Map(
  Object.entries(descriptions).map(([status, description]) => [Number(status), errorSchema.describe(description)]),
);

/** Error responses of a route that needs a key: the common ones of all such routes, and `statuses`. */
export function errorResponses(...statuses: (keyof typeof descriptions)[]): Record<number, z.ZodType> {
  const all = new Set<keyof typeof descriptions>([401, 403, 429, 500, 503, ...statuses]);
  return Object.fromEntries([...all].map((status) => [status, errors.get(status)!]));
}
