// @module-tag slow

import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';

const api = useTestApi();

/** Rules of Spectral that do not fit, with the reason of each. */
const off = {
  // The contact is the operator of an installation. /.well-known/security.txt has the one that the operator sets.
  'info-contact': 'off',
  // Tags stand in the order in which people look for them.
  'openapi-tags-alphabetical': 'off',
} as const;

function lint(document: Record<string, unknown>) {
  const linter = new spectral.Spectral();
  // The type of a ruleset demands `extends`, which the ruleset of Spectral itself does not have.
  linter.setRuleset({ extends: [[rulesets.oas as unknown as RulesetDefinition, 'all']], rules: off });
  return linter.run(document);
}

it('Spectral finds nothing in /doc by any rule for OpenAPI', async () => {
  const body = await readDocument(api);
  const problems = await lint(body);
  expect(problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)).toEqual([]);
});

it('Spectral would find an operation without a description and an example that its schema forbids', async () => {
  const body = await readDocument(api);
  const { get } = body.paths['/tag/{id}'];
  delete get.description;
  get.responses[200].content['application/json'].example = { id: 1 };
  const codes = new Set((await lint(body)).map(({ code }) => code));
  expect(codes).toEqual(new Set(['operation-description', 'oas3-valid-media-example']));
});
