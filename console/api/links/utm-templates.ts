import { keepPreviousData } from '@tanstack/react-query';
import type { output } from 'zod';
import type { utmTemplateListSchema, utmTemplateSchema } from '#api/utm-template/schema.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';

/** UTM values under a name, which fill the fields of a link. */
export type UtmTemplate = output<typeof utmTemplateSchema>;

export const templatesPerPage = 50;

/** Templates whose name has a text. @param page the first is 0. */
export function templateListQuery(search = '', page = 0) {
  return readQuery<output<typeof utmTemplateListSchema>>(['utm-templates', search, page], '/utm-template/list', {
    query: { search, page, limit: templatesPerPage },
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

/** Name and values of a template; null: the template leaves the field alone. */
export type TemplateFields = Pick<
  UtmTemplate,
  'name' | 'utmSource' | 'utmMedium' | 'utmCampaign' | 'utmTerm' | 'utmContent'
>;

/** Makes a template. @param intent one key for each time that the person means it. */
export function createTemplate(body: TemplateFields, intent: string): Promise<UtmTemplate> {
  return call<UtmTemplate>('POST', '/utm-template', { body, idempotencyKey: intent });
}

/** Changes the sent fields of a template. Links that were filled from it keep their values. */
export function updateTemplate(id: string, body: Partial<TemplateFields>): Promise<UtmTemplate> {
  return call<UtmTemplate>('PATCH', '/utm-template/{id}', { params: { id }, body });
}

/** Deletes a template. Links that were filled from it keep their values. */
export function deleteTemplate(id: string): Promise<unknown> {
  return call('DELETE', '/utm-template/{id}', { params: { id } });
}
