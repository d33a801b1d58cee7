// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';

// Names and quotas of a premium organization while many calls come at once; test/drills/races has them over two processes.

const api = useTestApi();
const destination = { type: 'link', value: 'https://example.com/' };

const kinds = [
  { path: '/tag', quota: 100, code: 'PLAN_LIMIT_REACHED', bodyOf: (name: string) => ({ name }) },
  { path: '/folder', quota: 100, code: 'FOLDER_LIMIT_REACHED', bodyOf: (name: string) => ({ name }) },
  { path: '/utm-template', quota: 200, code: 'PLAN_LIMIT_REACHED', bodyOf: (name: string) => ({ name }) },
  {
    path: '/domain',
    quota: 100,
    code: 'PLAN_LIMIT_REACHED',
    bodyOf: (name: string) => ({ domain: `${name}.example` }),
  },
  {
    path: '/webhook',
    quota: 50,
    code: 'PLAN_LIMIT_REACHED',
    bodyOf: (name: string) => ({ url: `https://hooks.example.com/${name}`, events: ['link.created'] }),
  },
];

const callAs = ({ key }: TestOrganization, method: 'POST' | 'DELETE', path: string, body?: object) =>
  api.call(method, path, body, { headers: { 'x-api-key': key } });

describe.each(kinds)('POST $path', ({ path, quota, code, bodyOf }) => {
  it('makes one of ten calls at once with one name and refuses the others with 409', async () => {
    const organization = await createOrganization(api.db);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => callAs(organization, 'POST', path, bodyOf('once'))),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 'made' : body.code));
    expect(codes.toSorted()).toEqual([...Array.from({ length: 9 }, () => 'ALREADY_EXIST'), 'made']);
  });

  it('makes as many as the plan allows of more calls at once, and another one in place of a deleted one', async () => {
    const organization = await createOrganization(api.db);
    const make = (index: number) =>
      // Links make tags too.
      path === '/tag' && index % 2 === 0
        ? callAs(organization, 'POST', '/short-link', { destination, tags: [`n${index}`] })
        : callAs(organization, 'POST', path, bodyOf(`n${index}`));
    const answers = await Promise.all(Array.from({ length: quota + 10 }, (_, index) => make(index)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(quota);
    const refused = answers.filter(({ status }) => status === 403).map(({ body }) => body.code);
    expect(refused).toEqual(Array.from({ length: 10 }, () => code));
    expect(made.filter(({ body }) => body.isPrimary === true)).toHaveLength(path === '/domain' ? 1 : 0);
    const { id } = made.find(({ body }) => body.tags === undefined)!.body;
    await callAs(organization, 'DELETE', `${path}/${id}`);
    expect((await callAs(organization, 'POST', path, bodyOf('another'))).status).toBe(201);
  });
});
