import * as z from 'zod';
import { refusing } from '#core/lib/schemas.ts';
import { urlProblem } from '#core/links/destination.ts';

const webAddress = z.string().superRefine(refusing(urlProblem));

export const linkPreviewQuerySchema = z.strictObject({
  url: webAddress
    .describe('An http or https address, as a destination.')
    .meta({ example: 'https://example.com/spring' }),
});

export const siteIconQuerySchema = z.strictObject({
  url: webAddress
    .describe('An http or https address of the site; its host and port count alone.')
    .meta({ example: 'https://example.com/' }),
});

const problems = [
  'refused-address',
  'dns',
  'connect',
  'tls',
  'timeout',
  'protocol',
  'redirects',
  'status',
  'not-a-page',
] as const;

export const linkPreviewSchema = z
  .strictObject({
    url: z.string().describe('The address that was asked for.'),
    finalUrl: z.string().describe('Where its redirects end; at most 5 are followed.'),
    status: z.number().int().nullable().describe('The HTTP status there; null: no answer came.'),
    title: z.string().nullable().describe('Of Open Graph, else of X, else the title of the page.'),
    description: z.string().nullable(),
    image: z.string().nullable().describe('The picture, at most 480 × 252 pixels, as a `data:` URL of a JPEG.'),
    isFrameable: z
      .boolean()
      .nullable()
      .describe('Whether the page allows a cloaked link to show it in a frame; null where no page answered.'),
    problem: z
      .enum(problems)
      .nullable()
      .describe(
        'Why there is no preview: `refused-address` (not public), `dns`, `connect`, `tls`, `timeout` (5 s), `protocol` (no valid HTTP), `redirects` (too many), `status` (an error), `not-a-page`; null: there is one.',
      ),
  })
  .meta({ id: 'LinkPreview', description: 'What others see of a page before they visit it.' });
