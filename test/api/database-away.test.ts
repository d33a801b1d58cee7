import { describe, expect, it, vi } from 'vitest';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();

describe('a call while the database is away', () => {
  it.each(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', '57P03', '25006'])(
    'a database that is unreachable (%s) makes calls answer 503 with Retry-After',
    async (code) => {
      const away = Object.assign(new Error('away'), { code });
      const query = vi.spyOn(api.db, 'query').mockRejectedValue(away);
      const answer = await api.call('GET', '/tag/list').finally(() => query.mockRestore());
      expect(answer).toMatchObject({
        status: 503,
        body: { code: 'SERVICE_UNAVAILABLE', requestId: answer.headers['x-request-id'] },
        headers: { 'retry-after': '2' },
      });
    },
  );
});
