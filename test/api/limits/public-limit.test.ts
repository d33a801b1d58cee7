import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';

const api = useTestApi();

describe('what anyone may ask of the API (13.2)', () => {
  it.each(['/readyz', `/files/public/${'a'.repeat(32)}`])('%s is limited per address', async (url) => {
    const ask = (remoteAddress: string) => api.app.inject({ url, remoteAddress, headers: { host: 'localhost' } });
    const usual = (await ask('203.0.113.1')).statusCode;
    expect(usual).toBeLessThan(429);
    // Within some second there are too many, however slow the machine is.
    const refused = await eventually(
      async () => {
        const answers = await Promise.all(Array.from({ length: 400 }, () => ask('203.0.113.2')));
        return answers.find(({ statusCode }) => statusCode === 429);
      },
      (answer) => answer !== undefined,
    );
    expect(refused!.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', requestId: expect.any(String) });
    expect(refused!.headers['retry-after']).toBe('1');
    expect((await ask('203.0.113.3')).statusCode).toBe(usual);
    await eventually(
      async () => (await ask('203.0.113.2')).statusCode,
      (status) => status === usual,
    );
  });
});
