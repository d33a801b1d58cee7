import * as z from 'zod';
import { plainFields } from '#core/links/fields.ts';
import { labelNameSchema } from './label.ts';

const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent } = plainFields;

const values = {
  utmSource: utmSource.schema,
  utmMedium: utmMedium.schema,
  utmCampaign: utmCampaign.schema,
  utmTerm: utmTerm.schema,
  utmContent: utmContent.schema,
};

/** A name, unique in the organization without regard to case, and UTM values; null and left out: links keep theirs. */
export const utmTemplateDraftSchema = z.strictObject({ name: labelNameSchema, ...values });

export type UtmTemplateDraft = z.output<typeof utmTemplateDraftSchema>;

/** Changes of a template: sent fields change. */
export type UtmTemplatePatch = { [Field in keyof UtmTemplateDraft]?: UtmTemplateDraft[Field] | undefined };
