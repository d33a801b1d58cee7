import { beforeAll, describe, expect, it } from 'vitest';
import { plans } from '#core/organizations/plans.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createPictures, type Pictures } from '#test/support/pictures.ts';
import { upload } from '#test/support/upload.ts';

let pictures: Pictures;
const api = useOwnTestApi();
beforeAll(async () => {
  pictures = await createPictures();
});

const send = () => upload(api, 'meta-tag', [{ content: pictures.png }]);
const setSize = (id: string, size: number) => api.db.query('update files set size = $2 where id = $1', [id, size]);

describe('the bytes of all files of an organization', () => {
  it('the quota of bytes holds under concurrent uploads, and room comes back when a file is deleted', async () => {
    const limit = plans.premium.fileBytes;
    const first = (await send()).body as { id: string; size: number };
    await setSize(first.id, limit - 3 * first.size);
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const { status, body } of answers)
      if (status !== 201) expect({ status, code: body.code }).toEqual({ status: 403, code: 'PLAN_LIMIT_REACHED' });
    expect((await send()).body.code).toBe('PLAN_LIMIT_REACHED');
    expect((await api.call('DELETE', `/files/${made[0]!.body.id}`)).status).toBe(200);
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(403);
  });

  it('a deleted file counts until it is removed, so that uploading and deleting cannot fill the storage', async () => {
    const { rows } = await api.db.query<{ id: string }>(
      'select id from files where deleted_at is null order by size desc',
    );
    for (const { id } of rows) expect((await api.call('DELETE', `/files/${id}`)).status).toBe(200);
    await setSize(rows[0]!.id, plans.premium.fileBytes + 1);
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});
