import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { insertRow } from '#test/support/rows.ts';

const api = useTestApi();

async function createLink(): Promise<{ id: string; destinationId: string }> {
  const destination = { type: 'link', value: `https://example.com/${uuidv7()}` };
  return (await api.call('POST', '/short-link', { destination })).body;
}

describe('GET /short-link/{id}', () => {
  it('answers 200 with verdict and clicks as they are now', async () => {
    const { id, destinationId } = await createLink();
    await insertRow(api.db, 'link_counters', { link_id: id, clicks: 7 });
    await api.db.query(
      `update threat_verdicts set threat_types = '{MALWARE}' where url_hash = (select url_hash from destinations where id = $1)`,
      [destinationId],
    );
    const { status, body } = await api.call('GET', `/short-link/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ currentClicks: 7, destination: { threatTypes: ['MALWARE'] } });
  });

  it('takes an id in capitals', async () => {
    const { id } = await createLink();
    expect((await api.call('GET', `/short-link/${id.toUpperCase()}`)).body.id).toBe(id);
  });

  it('answers 404 to a deleted link', async () => {
    const { id } = await createLink();
    await api.db.query('update short_links set deleted_at = now() where id = $1', [id]);
    expect((await api.call('GET', `/short-link/${id}`)).body.code).toBe('NOT_FOUND');
  });
});

describe('paths that do not exist', () => {
  it('unknown paths answer 404 in the shape of every error', async () => {
    const answer = await api.call('GET', '/nowhere');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no such path.',
      requestId: answer.headers['x-request-id'],
    });
  });
});
