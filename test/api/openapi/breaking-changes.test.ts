// @module-tag nightly
// @module-tag process

import { readFileSync } from 'node:fs';
import { expect, it, TestRunner } from 'vitest';
import { describeApi } from '#scripts/openapi.ts';
import { baselinePath } from '#scripts/openapi/baseline.ts';
import { makeFolder } from '#test/support/folders.ts';
import { findBreakingChanges, findOasdiff } from '#test/support/oasdiff.ts';

/**
 * Breaking changes since the baseline that were wanted: the line that the test prints, with its reason. Each is in CHANGELOG.md too.
 * A release empties the list (docs/release.md).
 */
const accepted: Record<string, string> = {
  'DELETE /organization/oidc: the endpoint scheme security `apiKey` was removed from the API':
    'Only an owner who is signed in may; keys were always refused.',
  'GET /stats/clicks: for the `query` request parameter `cursor`, the maxLength was set to `200`':
    'Each input has a bound, and cursors that were handed out are shorter.',
  'PATCH /organization: the `name` request property `type` changed from `any` to `string`':
    'The name was read-only and ignored; it renames now. What GET shows can be sent back as before.',
  "PATCH /organization: the `name` request property's minLength was set to `1`": 'As above.',
  'PUT /organization/oidc: the endpoint scheme security `apiKey` was removed from the API':
    'Only an owner who is signed in may; keys were always refused.',
};

const program = TestRunner.matchesTags(['nightly', 'process']) ? findOasdiff() : undefined;
const folder = makeFolder();

const readBaseline = () => JSON.parse(readFileSync(baselinePath, 'utf8'));

it.skipIf(program === undefined)(
  'the public API breaks no client of docs/openapi.baseline.json, but for changes that were accepted',
  async () => {
    const after = (await describeApi()) as never;
    expect(findBreakingChanges(program!, folder, readBaseline(), after)).toEqual(Object.keys(accepted).toSorted());
  },
);

it.skipIf(program === undefined)('a removed field, operation, event or name of an operation breaks clients', () => {
  const after = readBaseline();
  delete after.components.schemas.Folder.properties.color;
  delete after.paths['/tag/list'];
  delete after['x-webhooks']['link.created'];
  after.paths['/domain/list'].get.operationId = 'domains';
  after.components.schemas.CreateFolder.required.push('color');
  const lines = findBreakingChanges(program!, folder, readBaseline(), after).join('\n');
  for (const place of ['GET /folder/{id}', 'GET /tag/list', '/event/link.created', '/domain/list', 'POST /folder'])
    expect(lines).toContain(place);
});
