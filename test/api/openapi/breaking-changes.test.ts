import { expect, it } from 'vitest';
import { readBaseline } from '#scripts/openapi/baseline.ts';
import { findBreakingChanges } from '#scripts/openapi/breaking-changes.ts';
import { useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';

const api = useTestApi();

const limits = 'The specification says 0 to 50 for every list.';
const cursors = 'Every list ends its cursor in one way.';
const names = 'Generated code: NewX is a constructor, and ApiKey and Session are types of credentials.';
const queries = 'The other spellings of lists and days stay accepted, but generators know no type for two forms.';
const freeForm = 'What is answered stays; no class of many languages holds an object or a list.';
const ignored = 'It is ignored as before; a generator of Go clients takes it for the method of `password`.';
const oneType = 'Objects of answers stay accepted, but generators know no type for a text or an object.';

/**
 * Breaking changes since the baseline that were wanted: the line that the test prints, with its reason. Each is in CHANGELOG.md too.
 * A release empties the list (docs/release.md).
 */
const accepted: Record<string, string> = {
  'ChangedDomain.androidAssetLinks: 1 forms of the output are new': freeForm,
  'ChangedDomain.androidAssetLinks: 2 of 2 forms of the output changed or were removed': freeForm,
  'CheckedDomain.androidAssetLinks: 1 forms of the output are new': freeForm,
  'CheckedDomain.androidAssetLinks: 2 of 2 forms of the output changed or were removed': freeForm,
  'CreatedDomain.androidAssetLinks: 1 forms of the output are new': freeForm,
  'CreatedDomain.androidAssetLinks: 2 of 2 forms of the output changed or were removed': freeForm,
  'DnsRecord.found: 1 forms of the output are new': freeForm,
  'DnsRecord.found: 2 of 2 forms of the output changed or were removed': freeForm,
  'Domain.androidAssetLinks: 1 forms of the output are new': freeForm,
  'Domain.androidAssetLinks: 2 of 2 forms of the output changed or were removed': freeForm,
  'UpdateDomain.androidAssetLinks: 2 of 2 forms of the input changed or were removed': freeForm,
  'UpdateShortLink.hasPassword: input was removed': ignored,
  'UpdateShortLinkRow.hasPassword: input was removed': ignored,
  'ApiKey: the schema was removed or renamed': names,
  'CreateShortLink.tags[]: 1 of 2 forms of the input changed or were removed': oneType,
  'CreateShortLink.tags[]: minLength rose to 1': oneType,
  'GET /short-link/count query destinationHosts: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query domainNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query externalIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query states: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/count query tagNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query destinationHosts: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query domainNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query externalIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query states: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/export query tagNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/import/list query states: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query destinationHosts: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query domainNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query externalIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query limit: maximum fell to 50': limits,
  'GET /short-link/list query states: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/list query tagNames: 2 of 2 forms of the input changed or were removed': queries,
  'GET /short-link/{id}/history query limit: maximum fell to 50': limits,
  'GET /stats/clicks query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks query shortLinkIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks-over-time query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks-over-time query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks-over-time query shortLinkIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/clicks-over-time query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/export query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/export query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/export query shortLinkIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/export query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/overview query domainIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/overview query folderIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/overview query shortLinkIds: 2 of 2 forms of the input changed or were removed': queries,
  'GET /stats/overview query tagIds: 2 of 2 forms of the input changed or were removed': queries,
  'ImportPage.nextCursor: output may be null': cursors,
  'LinkHistoryPage.nextCursor: output may be null': cursors,
  'NewDestination: the schema was removed or renamed': names,
  'NewRule: the schema was removed or renamed': names,
  'Session: the schema was removed or renamed': names,
  'ShortLinkPage.nextCursor: output may be null': cursors,
  'UpdateShortLink.domain: 1 of 2 forms of the input changed or were removed': oneType,
  'UpdateShortLink.domain: maxLength fell to 255': oneType,
  'UpdateShortLink.domain: minLength rose to 1': oneType,
  'UpdateShortLink.tags[]: 1 of 2 forms of the input changed or were removed': oneType,
  'UpdateShortLink.tags[]: minLength rose to 1': oneType,
  'UpdateShortLinkRow.domain: 1 of 2 forms of the input changed or were removed': oneType,
  'UpdateShortLinkRow.domain: maxLength fell to 255': oneType,
  'UpdateShortLinkRow.domain: minLength rose to 1': oneType,
  'UpdateShortLinkRow.tags[]: 1 of 2 forms of the input changed or were removed': oneType,
  'UpdateShortLinkRow.tags[]: minLength rose to 1': oneType,
  'UpsertShortLink.tags[]: 1 of 2 forms of the input changed or were removed': oneType,
  'UpsertShortLink.tags[]: minLength rose to 1': oneType,
};

it('the public API breaks no client of docs/openapi.baseline.json, but for changes that were accepted', async () => {
  const body = await readDocument(api);
  expect(findBreakingChanges(readBaseline(), body)).toEqual(Object.keys(accepted).toSorted());
});
