import { defineEntity, type EntityRepositoryType, p } from '@mikro-orm/core';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { UtmTemplatePatch } from '#core/labels/utm-template.ts';
import { tenant } from '#db/connection/lists/filters.ts';
import type { UtmTemplateRepository } from '#db/labels/utm-templates.ts';
import { Organization } from '#db/entities/accounts/people.ts';

export const UtmTemplateSchema = defineEntity({
  name: 'UtmTemplate',
  tableName: 'utm_templates',
  filters: { tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization),
    name: p.text(),
    nameKey: p.text(),
    utmSource: p.text().nullable(),
    utmMedium: p.text().nullable(),
    utmCampaign: p.text().nullable(),
    utmTerm: p.text().nullable(),
    utmContent: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'utm_templates_name_key', properties: ['organization', 'nameKey'] }],
});

/** UTM values under a name, which people fill links from. Links keep no tie to it. `nameKey` as in Folder. */
export class UtmTemplate extends UtmTemplateSchema.class {
  declare [EntityRepositoryType]?: UtmTemplateRepository;

  /** Changes the fields that are sent. */
  change(patch: UtmTemplatePatch, now: Date): void {
    const sent = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const isSame = Object.entries(sent).every(([field, value]) => this[field as keyof UtmTemplatePatch] === value);
    if (isSame) return;
    Object.assign(this, sent, { updatedAt: now });
    this.nameKey = foldCase(this.name);
  }
}
UtmTemplateSchema.setClass(UtmTemplate);
