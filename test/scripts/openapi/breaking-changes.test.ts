import { describe, expect, it } from 'vitest';
import { readBaseline } from '#scripts/openapi/baseline.ts';
import { type Description, findBreakingChanges } from '#scripts/openapi/breaking-changes.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the changes below reach into every part of the document
type Draft = any;

/** Lines that the comparison gives for one change of the baseline. */
function linesOf(change: (draft: Draft) => void): string[] {
  const after = structuredClone(readBaseline()) as Draft;
  change(after);
  return findBreakingChanges(readBaseline(), after as Description);
}

const queryOf = (draft: Draft, path: string): Draft[] => draft.paths[path].get.parameters;
const findParameter = (draft: Draft, path: string, name: string): Draft =>
  queryOf(draft, path).find((one) => one.name === name);

describe('findBreakingChanges', () => {
  it.each<[string, (draft: Draft) => void, string[]]>([
    [
      'a removed operation',
      ({ paths }) => delete paths['/short-link/{id}'].patch,
      ['PATCH /short-link/{id}: the operation was removed'],
    ],
    [
      'a renamed operation',
      ({ paths }) => (paths['/tag'].post.operationId = 'addTag'),
      ['POST /tag: operationId createTag became addTag'],
    ],
    [
      'a removed query parameter',
      (draft) =>
        (draft.paths['/tag/list'].get.parameters = queryOf(draft, '/tag/list').filter(({ name }) => name !== 'page')),
      ['GET /tag/list: parameter query page was removed'],
    ],
    [
      'a query parameter that became required',
      (draft) => (findParameter(draft, '/tag/list', 'page').required = true),
      ['GET /tag/list: parameter query page became required'],
    ],
    [
      'a query parameter of another type',
      (draft) => (findParameter(draft, '/tag/list', 'page').schema = { type: 'string' }),
      ['GET /tag/list query page: input of type integer became string'],
    ],
    [
      'a removed field of a body',
      ({ components }) => delete components.schemas.CreateTag.properties.color,
      ['CreateTag.color: input was removed'],
    ],
    [
      'a field of a body that became required',
      ({ components }) => components.schemas.CreateTag.required.push('color'),
      ['CreateTag.color: became required'],
    ],
    [
      'a shorter text of a body',
      ({ components }) => (components.schemas.CreateTag.properties.name.maxLength = 5),
      ['CreateTag.name: maxLength fell to 5'],
    ],
    [
      'a pattern of a body',
      ({ components }) => (components.schemas.CreateTag.properties.name.pattern = '^a'),
      ['CreateTag.name: input must match ^a'],
    ],
    [
      'null that a body may no longer have',
      ({ components }) => (components.schemas.CreateTag.properties.color.nullable = false),
      ['CreateTag.color: input null is refused'],
    ],
    [
      'a removed field of an answer',
      ({ components }) => {
        delete components.schemas.Tag.properties.color;
        components.schemas.Tag.required = components.schemas.Tag.required.filter((name: string) => name !== 'color');
      },
      ['Tag.color: output was removed'],
    ],
    [
      'a field of an answer that may be absent',
      ({ components }) =>
        (components.schemas.Tag.required = components.schemas.Tag.required.filter((name: string) => name !== 'color')),
      ['Tag.color: output may be absent'],
    ],
    [
      'a field of an answer that may be null',
      ({ components }) => (components.schemas.Tag.properties.name.nullable = true),
      ['Tag.name: output may be null'],
    ],
    [
      'a field of an answer with another type',
      ({ components }) => (components.schemas.TagPage.properties.count = { type: 'string' }),
      ['TagPage.count: output of type integer became string'],
    ],
    [
      'a renamed schema',
      ({ components }) => {
        components.schemas.Label = components.schemas.Gradient;
        delete components.schemas.Gradient;
        components.schemas = JSON.parse(
          JSON.stringify(components.schemas).replaceAll('schemas/Gradient"', 'schemas/Label"'),
        );
      },
      ['Gradient: the schema was removed or renamed'],
    ],
    [
      'a removed answer',
      ({ paths }) => {
        paths['/tag'].post.responses[200] = paths['/tag'].post.responses[201];
        delete paths['/tag'].post.responses[201];
      },
      ['POST /tag: the answer 201 was removed'],
    ],
    [
      'a removed header of an answer',
      ({ paths }) => delete paths['/short-link'].post.responses[201].headers.ETag,
      ['POST /short-link 201: header ETag was removed'],
    ],
    [
      'callers that are refused',
      ({ paths }) => (paths['/tag'].post.security = [{ session: [] }]),
      ['POST /tag: callers by apiKey are refused'],
    ],
    [
      'a removed event',
      (draft) => delete draft['x-webhooks']['link.clicked'],
      ['event link.clicked: the event was removed'],
    ],
    [
      'a removed field of an event',
      ({ components }) => delete components.schemas.LinkDeletedEvent.properties.data.properties.link.properties.slug,
      ['LinkDeletedEvent.data.link.slug: output was removed'],
    ],
    [
      'a removed field of an error',
      ({ components }) => delete components.schemas.ApiError.properties.requestId,
      ['ApiError.requestId: output was removed'],
    ],
  ])('lists %s', (_name, change, lines) => {
    expect(linesOf(change)).toEqual(expect.arrayContaining(lines));
    expect(linesOf(change).filter((line) => !lines.includes(line))).toEqual([]);
  });

  it('lists removed values of inputs and answers, and lets answers have further ones', () => {
    const sorted = (draft: Draft): Draft => findParameter(draft, '/short-link/list', 'sortOrder').schema;
    expect(linesOf((draft) => (sorted(draft).enum = ['asc']))).toEqual([
      'GET /short-link/list query sortOrder: input desc was removed',
    ]);
    const stateOf = ({ components }: Draft): Draft => components.schemas.Import.properties.state;
    const [state] = stateOf(readBaseline()).enum;
    expect(linesOf((draft) => stateOf(draft).enum.shift())).toEqual([`Import.state: output ${state} was removed`]);
    expect(linesOf((draft) => stateOf(draft).enum.push('paused'))).toEqual([]);
  });

  it('lists removed forms of an input, and both removed and further ones of an answer', () => {
    const tagForms = (draft: Draft): Draft[] => draft.components.schemas.CreateShortLink.properties.tags.items.anyOf;
    const [removed, added] = ['1 of 2 forms of the %s changed or were removed', '1 forms of the output are new'];
    expect(linesOf((draft) => tagForms(draft).shift())).toEqual([
      `CreateShortLink.tags[]: ${removed.replace('%s', 'input')}`,
    ]);
    expect(linesOf((draft) => tagForms(draft).push({ type: 'integer' }))).toEqual([]);
    const foundForms = (draft: Draft): Draft[] => draft.components.schemas.DnsRecord.properties.found.anyOf;
    expect(linesOf((draft) => foundForms(draft).shift())).toEqual([
      `DnsRecord.found: ${removed.replace('%s', 'output')}`,
    ]);
    expect(linesOf((draft) => foundForms(draft).push({ type: 'integer' }))).toEqual([`DnsRecord.found: ${added}`]);
  });

  it('lists nothing for what is added', () => {
    expect(linesOf(() => undefined)).toEqual([]);
    const lines = linesOf(({ paths, components, 'x-webhooks': events }) => {
      paths['/label'] = paths['/tag'];
      events['link.read'] = events['link.clicked'];
      paths['/tag/list'].get.parameters.push({ in: 'query', name: 'sortBy', schema: { type: 'string' } });
      components.schemas.Label = { type: 'object' };
      components.schemas.CreateTag.properties.note = { type: 'string' };
      components.schemas.CreateTag.properties.name.maxLength += 1;
      components.schemas.Tag.properties.note = { type: 'string' };
      components.schemas.Tag.required.push('note');
      components.schemas.TagPage.properties.count.type = 'integer';
      paths['/tag/{tagId}'] = paths['/tag/{id}'];
      delete paths['/tag/{id}'];
    });
    expect(lines).toEqual([]);
  });
});
