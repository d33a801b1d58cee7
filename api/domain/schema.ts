import { z } from 'zod';
import { dnsReasons } from '#core/domains/reasons.ts';
import { domainNameSchema } from '#core/domains/name.ts';
import { patchDomainSchema } from '#core/domains/patch.ts';
import { qrOptionsSchema } from '#core/links/qr-code.ts';
import { flagSchema, pagingShape, searchSchema, withCountsSchema } from '#api/query.ts';
import { linksCountSchema, momentSchema, pageSchema } from '#api/schemas.ts';
import { domainSummarySchema } from '#api/short-link/schema.ts';

const id = z.guid();

const templateSchema = z
  .strictObject({ options: qrOptionsSchema, imageId: id.nullable() })
  .nullable()
  .describe('Template of the QR codes of new links.');

const documentShape = { nullable: true, type: 'object', additionalProperties: true };

export const domainSchema = z
  .strictObject({
    id,
    organizationId: id,
    domain: z.string().meta({ example: 'go.example.com' }),
    isActive: z.boolean(),
    isVerified: z.boolean(),
    isPrimary: z.boolean(),
    txtRecord: z.string().meta({
      description: 'The owner publishes this value as a TXT record at _waymark.<domain>, or at the domain itself.',
      example: 'waymark-verify=2f1c8f2f0a7b4a6f9d35c1f8e8b61d07a4c94e1b',
    }),
    lastCheckedAt: momentSchema.nullable(),
    qrCodeId: id.nullable(),
    qrCode: templateSchema,
    fallbackUrl: z.string().nullable(),
    appleAppSiteAssociation: z.unknown().meta(documentShape),
    androidAssetLinks: z.unknown().meta({
      nullable: true,
      anyOf: [
        { type: 'object', additionalProperties: true },
        { type: 'array', items: {} },
      ],
    }),
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'Domain', description: 'A domain of the organization.' });

export type Domain = z.output<typeof domainSchema>;

const recordTypeSchema = z.enum(['TXT', 'CNAME', 'A', 'AAAA']).describe('Type of the record.');

const dnsRecordSchema = z
  .strictObject({
    type: recordTypeSchema,
    name: z.string().describe('Full name of the record.'),
    expected: z
      .string()
      .nullable()
      .describe('The expected value; of several, comma-separated, any one is enough. Null: the record must not exist.'),
    found: z
      .union([z.array(z.string()), z.literal('error')])
      .describe('The values found; error: no name server answered.'),
    ok: z.boolean(),
    misplacedAt: z
      .string()
      .optional()
      .describe('Another name where the expected value was found: the provider appended the zone to the whole name.'),
  })
  .meta({ id: 'DnsRecord', description: 'A DNS record that a domain needs.' });

const neededRecordSchema = z
  .strictObject({
    type: recordTypeSchema,
    name: z.string().describe('Full name of the record.').meta({ example: '_waymark.go.example.com' }),
    value: z
      .string()
      .describe('Content of the record.')
      .meta({ example: 'waymark-verify=2f1c8f2f0a7b4a6f9d35c1f8e8b61d07a4c94e1b' }),
    where: z.string().describe('Where to publish the record, as a sentence.'),
  })
  .meta({ id: 'NeededDnsRecord', description: 'A DNS record to create.' });

const relativeNameSchema = z
  .string()
  .nullable()
  .describe('The name relative to its zone, as providers show it; `@`: the zone itself. Null: the zone is not known.');

export const domainDnsSchema = z
  .strictObject({
    state: z
      .enum(['unverified', 'verified', 'failing', 'taken'])
      .describe(
        '`failing`: verified, but its last checks found it wrong; `taken`: its records are right, but another organization has verified the name.',
      ),
    zone: z.string().nullable().describe('The zone that the domain is in; known once a check found it wrong.'),
    needed: z
      .array(
        neededRecordSchema.extend({ relativeName: relativeNameSchema }).meta({
          id: 'DomainNeededRecord',
          description: 'A DNS record to create, with its name as providers show it.',
        }),
      )
      .describe('The records to publish: the TXT record, and one of CNAME, A and AAAA.'),
    found: z
      .array(
        dnsRecordSchema
          .extend({
            reason: z.enum(dnsReasons).nullable().describe('Why it is not right; null: it is.'),
            message: z.string().nullable().describe('The reason as a sentence.'),
          })
          .meta({ id: 'FoundDnsRecord', description: 'A DNS record as a check found it.' }),
      )
      .nullable()
      .describe('What the last check found; null: there was none yet.'),
    checkedAt: momentSchema.nullable().describe('When it was last checked.'),
    nextCheckAt: momentSchema.nullable().describe('When it is checked next by itself.'),
    failedChecks: z.int().describe('Checks in a row that found it wrong.'),
    isLostAfter: z
      .int()
      .nullable()
      .describe('After how many more failed checks a verified domain is no longer verified; null: it is not verified.'),
    dailyFrom: momentSchema
      .nullable()
      .describe('From when on a domain that is not verified is checked only once a day; null: it is verified.'),
  })
  .meta({ id: 'DomainDns', description: "A domain's DNS records, as they were last found beside what they must be." });

/** A domain after a check; `dns` lists the required records where the check failed. */
export const checkedDomainSchema = domainSchema
  .extend({
    dns: z
      .strictObject({ records: z.array(dnsRecordSchema), checkedAt: momentSchema })
      .optional()
      .describe('The needed records, if the check failed. One of CNAME, A and AAAA is enough.'),
  })
  .meta({ id: 'CheckedDomain', description: 'A domain with its DNS records as they were found.' });

const domainWarningSchema = z
  .strictObject({
    path: z.string().describe('Dotted path of the field, as in the issues of an error.'),
    code: z.enum(['NO_EDGE_HOSTNAME', 'QR_CODE_HARD_TO_SCAN']).describe('Later versions may have more codes.'),
    message: z.string(),
  })
  .meta({
    id: 'DomainWarning',
    description: 'What to know about the domain in this installation, or a style that some scanners cannot read.',
  });

export type DomainDnsAnswer = z.output<typeof domainDnsSchema>;

export const createdDomainSchema = domainSchema
  .extend({
    dns: z
      .strictObject({ records: z.array(neededRecordSchema) })
      .describe('The records to publish: the TXT record, and one of CNAME, A and AAAA.'),
    warnings: z.array(domainWarningSchema).optional().describe('Absent without warnings.'),
  })
  .meta({ id: 'CreatedDomain', description: 'A domain that was added, with the DNS records that it needs.' });

export const changedDomainSchema = domainSchema
  .extend({ warnings: z.array(domainWarningSchema).optional().describe('Absent without warnings.') })
  .meta({ id: 'ChangedDomain', description: 'A domain after an update, with warnings.' });

const isActiveSchema = z.boolean().describe('false: short links on it are not answered.');

export const allDomainsSchema = z.array(
  domainSummarySchema
    .extend({ isActive: isActiveSchema })
    .meta({ id: 'UsableDomain', description: 'A domain that short links may be on.' }),
);

const domainItemSchema = z
  .strictObject({
    id,
    domain: z.string(),
    isPrimary: z.boolean(),
    isVerified: z.boolean(),
    isActive: isActiveSchema,
    createdAt: momentSchema,
    qrCode: templateSchema.optional().describe('Only with withQrCodeTemplate.'),
    links: linksCountSchema,
  })
  .meta({ id: 'DomainItem', description: 'A domain in lists.' });

export type DomainItem = z.output<typeof domainItemSchema>;

export const domainListSchema = pageSchema(domainItemSchema, 'DomainPage', 'A page of domains.');

export const domainListQuerySchema = z.strictObject({
  search: searchSchema.describe('Matches the name.'),
  withQrCodeTemplate: flagSchema.optional(),
  withCounts: withCountsSchema,
  ...pagingShape,
});

export const createDomainSchema = z
  .strictObject({ domain: domainNameSchema })
  .meta({ id: 'CreateDomain', description: 'A domain to add.', example: { domain: 'go.example.com' } });

export const patchDomainBodySchema = patchDomainSchema.meta({
  id: 'UpdateDomain',
  description: 'Changes of a domain: fields that are absent stay.',
  example: { fallbackUrl: 'https://www.example.org/', appleAppSiteAssociation: { applinks: { details: [] } } },
});

export const qrCodeDataSchema = z
  .strictObject({
    url: z.string().meta({ example: 'https://go.example.com/?qr=1' }),
    options: qrOptionsSchema,
  })
  .meta({ id: 'QrCodeData', description: 'The QR code of a domain: its address and style.' });
