import { auditCategories } from '#core/audit/audit.ts';
import { dayParameters } from '#console/app/days.ts';
import { type SearchOf, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of /settings/audit. */
export const auditParameters = { category: wordParameter(auditCategories), person: textParameter, ...dayParameters };
export type AuditSearch = SearchOf<typeof auditParameters>;
