import { expect, test } from 'vitest';
import type { VerdictWaiter } from '#api/short-link/verdict-waiter.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { useOwnTestApi } from '#test/support/api.ts';

/** Finds a threat at every address that a call waits for. */
const verdictWaiter: VerdictWaiter = {
  listen: (known) => ({
    wait: async (awaited) =>
      new Map(
        awaited.filter((hash) => known.includes(hash)).map((hash): [string, ThreatType[]] => [hash, ['MALWARE']]),
      ),
    [Symbol.dispose]: () => {},
  }),
  onVerdicts: () => {},
  onGap: () => {},
};

const api = useOwnTestApi({ verdictWaiter, threatScanWaitMs: 1_000 });

let counter = 0;
const links = () => [{ destination: { type: 'link', value: `https://site${(counter += 1)}.example/` } }];

test('a bulk create does not wait for verdicts', async () => {
  const { status, body } = await api.call('POST', '/short-link/bulk', { links: links() });
  expect(status).toBe(201);
  expect(body.results[0].data.destination.threatTypes).toBeNull();
});

test('a bulk create with ?wait=verdicts waits for verdicts and shows them', async () => {
  const { status, body } = await api.call('POST', '/short-link/bulk?wait=verdicts', { links: links() });
  expect(status).toBe(201);
  expect(body.results[0].data.destination.threatTypes).toEqual(['MALWARE']);
});

test('a bulk create refuses to wait for something else, and names the field', async () => {
  const { status, body } = await api.call('POST', '/short-link/bulk?wait=clicks', { links: links() });
  expect(status).toBe(400);
  expect(body.issues).toMatchObject([{ path: 'wait' }]);
});

test('a bulk update takes ?wait=verdicts as well', async () => {
  const made = await api.call('POST', '/short-link/bulk', { links: links() });
  const [{ data: link }] = made.body.results;
  const patch = { links: [{ id: link.id, ...links()[0] }] };
  const { status, body } = await api.call('PATCH', '/short-link/bulk?wait=verdicts', patch);
  expect({ status, row: body.results[0].status }).toEqual({ status: 200, row: 200 });
});
