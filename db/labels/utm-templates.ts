import { uuidv7 } from '#core/lib/uuid.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { UtmTemplateDraft } from '#core/labels/utm-template.ts';
import { containing, offsetOf, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { UtmTemplate } from '#db/entities/links/utm-templates.ts';

export class UtmTemplateRepository extends Repository<UtmTemplate> {
  /** Makes a template, to be flushed. @throws at the flush where the name is taken. */
  add(organizationId: string, { name, ...values }: UtmTemplateDraft, now: Date): UtmTemplate {
    const dates = { createdAt: now, updatedAt: now };
    return this.create({
      id: uuidv7(),
      organization: organizationId,
      name,
      nameKey: foldCase(name),
      utmSource: values.utmSource ?? null,
      utmMedium: values.utmMedium ?? null,
      utmCampaign: values.utmCampaign ?? null,
      utmTerm: values.utmTerm ?? null,
      utmContent: values.utmContent ?? null,
      ...dates,
    });
  }

  /** Lists an organization's templates by name. @param search finds names, without regard to case. */
  list(
    organizationId: string,
    { search = '', ...paging }: Paging & { search?: string | undefined },
  ): Promise<[UtmTemplate[], number]> {
    return this.findAndCount(
      { nameKey: { $like: containing(foldCase(search)) } },
      { filters: { tenant: { organizationId } }, orderBy: { nameKey: 'asc', id: 'asc' }, ...offsetOf(paging) },
    );
  }
}
