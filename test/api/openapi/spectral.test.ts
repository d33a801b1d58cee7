// @module-tag slow

import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';

const api = useOwnTestApi();

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

it(
  'Spectral finds nothing in /doc by any rule for OpenAPI but what is put there: no description, and an example that its schema forbids',
  { tags: 'nightly' },
  async () => {
    const body = await readDocument(api);
    const { get } = body.paths['/tag/{id}'];
    delete get.description;
    get.responses[200].content['application/json'].example = { id: 1 };
    const problems = await lint(body);
    const spoilt = ['operation-description at paths./tag/{id}.get', 'oas3-valid-media-example at paths./tag/{id}.get'];
    const found = problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`);
    expect(found.filter((problem) => !spoilt.some((known) => problem.startsWith(known)))).toEqual([]);
    for (const known of spoilt) expect(found.some((problem) => problem.startsWith(known))).toBe(true);
  },
);
