import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { nullAsDefault, recordOf } from '#core/lib/schemas.ts';

const issueSchema = z.strictObject({
  path: z.string().describe('The field, as in `issues` of an error.'),
  message: z.string().describe('What is wrong with it.'),
});

export const checkBodySchema = z
  .strictObject({
    ...nullAsDefault({
      id: idSchema.optional().describe('A short link that would be changed; without it one would be made.'),
    }),
    link: recordOf(z.string(), z.unknown()).describe(
      'The body of POST /short-link; with `id`, of PATCH /short-link/{id}.',
    ),
  })
  .meta({
    id: 'CheckShortLink',
    description: 'A short link that is not sent yet.',
    example: { link: { destination: { type: 'link', value: 'https://example.com/spring' }, slug: 'spring' } },
  });

export const checkedLinkSchema = z
  .strictObject({
    isAccepted: z.boolean().describe('Whether the call would succeed now.'),
    code: z.string().nullable().describe('Code of the error that it would answer; null without one.'),
    message: z.string().nullable().describe('Message of the error; null without one.'),
    issues: z.array(issueSchema).describe('The fields that are wrong.'),
    isSlugFree: z
      .boolean()
      .nullable()
      .describe('Whether the slug can be had on the domain, whatever else is wrong; null where that cannot be told.'),
  })
  .meta({
    id: 'CheckedShortLink',
    description: 'What would become of a call.',
    example: {
      isAccepted: false,
      code: 'ALREADY_EXIST',
      message: 'A short link with this slug exists already.',
      issues: [],
      isSlugFree: false,
    },
  });
