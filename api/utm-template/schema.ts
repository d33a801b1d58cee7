import { z } from 'zod';
import { utmTemplateDraftSchema } from '#core/labels/utm-template.ts';
import type { UtmTemplate } from '#db/entities/links/utm-templates.ts';
import { present } from '#api/present.ts';
import { pagingShape, searchSchema } from '#api/query.ts';
import { momentSchema, pageSchema } from '#api/schemas.ts';
import { readOnly } from '#core/lib/schemas.ts';

const id = z.guid();
const value = z.string().nullable().describe('Null: links keep theirs.');

export const utmTemplateSchema = z
  .strictObject({
    id,
    organizationId: id,
    name: z.string(),
    utmSource: value,
    utmMedium: value,
    utmCampaign: value,
    utmTerm: value,
    utmContent: value,
    createdAt: momentSchema,
    updatedAt: momentSchema,
  })
  .meta({ id: 'UtmTemplate', description: 'Campaign values under a name, to fill links from.' });

export function presentUtmTemplate(template: UtmTemplate) {
  return present(utmTemplateSchema, template, { organizationId: template.organization.id });
}

export const utmTemplateListSchema = pageSchema(utmTemplateSchema, 'UtmTemplatePage', 'A page of UTM templates.');

export const utmTemplateListQuerySchema = z.strictObject({
  search: searchSchema.describe('Matches the name, without regard to case.'),
  ...pagingShape,
});

export const createUtmTemplateSchema = utmTemplateDraftSchema.meta({
  id: 'CreateUtmTemplate',
  description: 'A UTM template to create.',
  example: { name: 'Spring mailing', utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'spring' },
});

/** The body of PATCH /utm-template/{id}: sent fields change. */
export const patchUtmTemplateSchema = utmTemplateDraftSchema
  .partial()
  .extend(readOnly('id', 'organizationId', 'createdAt', 'updatedAt'))
  .meta({
    id: 'UpdateUtmTemplate',
    description: 'The fields of a UTM template to change.',
    example: { utmCampaign: 'summer', utmTerm: null },
  });
