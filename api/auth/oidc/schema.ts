import { z } from 'zod';
import { nullAsDefault, text } from '#core/lib/schemas.ts';

export const oidcOfferSchema = z
  .strictObject({
    name: z
      .string()
      .nullable()
      .describe('Name of the identity provider of the installation, for a button; null: there is none.')
      .meta({ example: 'Example Login' }),
  })
  .meta({ id: 'OidcOffer', description: 'How people may sign in besides their passwords.' });

export const startOidcSchema = z
  .strictObject(
    nullAsDefault({
      email: text({ max: 254 })
        .optional()
        .describe(
          "The person's e-mail: an organization may have an identity provider for its domain. Without: the provider of the installation.",
        ),
      next: text({ max: 2_000 })
        .optional()
        .describe('Path of the console to which the sign-in leads; anything but a path leads to the links.'),
    }),
  )
  .meta({
    id: 'StartOidc',
    description: 'How a sign-in by an identity provider begins.',
    example: { email: 'ada@example.com', next: '/links' },
  })
  .prefault({});

export const startedOidcSchema = z
  .strictObject({ url: z.url().describe('Address at the identity provider to which the browser goes.') })
  .meta({
    id: 'StartedOidc',
    description: 'Where a sign-in by an identity provider goes on.',
    example: { url: 'https://login.example.com/authorize?client_id=waymark' },
  });

const given = text({ max: 8_000 }).optional();

/** The query of the callbacks. Providers add what they like. */
export const oidcCallbackQuerySchema = z.looseObject({
  code: given.describe('Of the sign-in, from the identity provider.'),
  state: given.describe('What the beginning of the sign-in sent along.'),
  iss: given.describe('The issuer.'),
  error: given.describe('Why the identity provider signs nobody in.'),
});
