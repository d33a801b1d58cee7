import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';

const api = useTestApi();

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
const values = { utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'spring', utmTerm: null, utmContent: null };
let counter = 0;
const newName = (): string => `Template no. ${(counter += 1)}`;

async function createTemplate(body: object = {}, organization = api.organization) {
  const answer = await api.call('POST', '/utm-template', { name: newName(), ...values, ...body }, as(organization));
  expect(answer.status).toBe(201);
  return answer.body;
}

describe('POST /utm-template', () => {
  it('answers 201 with the template, whose values that are empty or left out are null', async () => {
    const body = { name: ' Spring ', utmSource: 'newsletter', utmMedium: '', utmCampaign: null };
    const answer = await api.call('POST', '/utm-template', body);
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.any(String),
      organizationId: api.organization.id,
      name: 'Spring',
      utmSource: 'newsletter',
      utmMedium: null,
      utmCampaign: null,
      utmTerm: null,
      utmContent: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: answer.body.createdAt,
    });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(31) }, 'name'],
    [{ name: 'x', utmSource: 'x'.repeat(256) }, 'utmSource'],
  ])('answers 400 to %j', async (body, path) => {
    const answer = await api.call('POST', '/utm-template', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', issues: [{ path }] } });
  });

  it('answers 409 to a name that the organization has, without regard to case; another one may have it', async () => {
    const { name } = await createTemplate();
    const body = { name: name.toUpperCase() };
    expect(await api.call('POST', '/utm-template', body)).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXIST', message: 'A UTM template with this name exists already.' },
    });
    const other = await createOrganization(api.db);
    expect((await api.call('POST', '/utm-template', body, as(other))).status).toBe(201);
  });
});

describe('GET /utm-template/list and GET /utm-template/{id}', () => {
  it('lists templates by name, and finds them by a part of it', async () => {
    const organization = await createOrganization(api.db);
    for (const name of ['beta mail', 'Alpha mail', 'Gamma 100%']) await createTemplate({ name }, organization);
    const list = async (query: string) => {
      const { body } = await api.call('GET', `/utm-template/list?${query}`, undefined, as(organization));
      return [body.count, body.data.map(({ name }: { name: string }) => name)];
    };
    expect(await list('')).toEqual([3, ['Alpha mail', 'beta mail', 'Gamma 100%']]);
    expect(await list('search=MAIL')).toEqual([2, ['Alpha mail', 'beta mail']]);
    expect(await list('search=%25')).toEqual([1, ['Gamma 100%']]);
    expect(await list('limit=1&page=1')).toEqual([3, ['beta mail']]);
  });

  it('reads one as it was made', async () => {
    const made = await createTemplate();
    expect(await api.call('GET', `/utm-template/${made.id}`)).toMatchObject({ status: 200, body: made });
  });
});

describe('PATCH /utm-template/{id}', () => {
  it('changes fields that are sent, and nothing where nothing differs', async () => {
    const made = await createTemplate();
    const same = await api.call('PATCH', `/utm-template/${made.id}`, made);
    expect(same).toMatchObject({ status: 200, body: made });
    const changed = await api.call('PATCH', `/utm-template/${made.id}`, { utmMedium: null, utmTerm: 'shoes' });
    expect(changed.body).toMatchObject({ ...made, utmMedium: null, utmTerm: 'shoes', updatedAt: expect.any(String) });
    const renamed = await api.call('PATCH', `/utm-template/${made.id}`, { name: made.name.toUpperCase() });
    expect(renamed.body.name).toBe(made.name.toUpperCase());
  });

  it('answers 409 to the name of another', async () => {
    const [one, other] = [await createTemplate(), await createTemplate()];
    const answer = await api.call('PATCH', `/utm-template/${one.id}`, { name: other.name });
    expect(answer).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
  });
});

describe('DELETE /utm-template/{id}', () => {
  it('removes it, frees its name, and leaves links that were filled from it alone', async () => {
    const made = await createTemplate();
    const destination = { type: 'link', value: 'https://example.com/' };
    const link = await api.call('POST', '/short-link', { destination, utmSource: made.utmSource });
    expect(await api.call('DELETE', `/utm-template/${made.id}`)).toMatchObject({ status: 200, body: { rowCount: 1 } });
    expect((await api.call('DELETE', `/utm-template/${made.id}`)).status).toBe(404);
    expect((await api.call('GET', `/utm-template/${made.id}`)).status).toBe(404);
    await createTemplate({ name: made.name });
    expect((await api.call('GET', `/short-link/${link.body.id}`)).body.utmSource).toBe(made.utmSource);
  });
});
