import { auditCategories, type AuditCategory } from '#core/audit/audit.ts';
import { type DayRange, dayParameters } from '#console/app/days.ts';
import { type Parameters, textParameter, wordParameter } from '#console/app/places/search.ts';

/** Parameters of /settings/audit. */
export interface AuditSearch extends DayRange {
  category?: AuditCategory;
  person?: string;
}

export const auditParameters: Parameters<AuditSearch> = {
  category: wordParameter(auditCategories),
  person: textParameter,
  ...dayParameters,
};
