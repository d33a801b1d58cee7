// @module-tag slow

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { startOidc } from '#test/support/oidc.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createPreparations } from '#test/support/preparations.ts';
import { createWalker } from '#test/support/walker.ts';

// Calls that are made again where the first one died after its commit, and answer with the moment of the second one.
const madeAgain = new Set([
  'POST /domain/{id}/dns-check',
  'POST /organization/invitations/{id}/resend',
  'PUT /organization/oidc',
]);

it('every operation that takes an Idempotency-Key answers a repeated call as the first one, also where that died after its commit', async () => {
  await using oidc = await startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/);
  const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
  const client = createOidcClient({ http });
  await using walker = await createWalker({ oidc: { trusted: client, guarded: client } });
  const prepare = createPreparations(walker.api, oidc);
  const operations = walker.operations.filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  );
  for (const operation of operations) {
    const { name } = operation;
    const prepared = await prepare(walker.operationOf(operation).operationId);
    const { headers = await walker.allowedHeaders(operation), ...more } = prepared ?? {};
    const { path, ...input } = { ...exampleOf(operation, walker.description.resolve), ...more };
    // The newest id when the call is made first; the call itself may make a newer one.
    const ids = { id: walker.idsFor(operation).at(-1)!, ...path };
    const key = randomUUID();
    const call = () => walker.call(operation, { ...input, path: ids }, { ...headers, 'idempotency-key': key });
    const first = await call();
    const replayed = await call();
    await walker.api.db.query(
      'update idempotency_keys set status = null, answer = null, claimed_until = now() where key = $1',
      [key],
    );
    const presented = await call();
    expect([name, first.status < 300]).toEqual([name, true]);
    expect([name, replayed]).toMatchObject([
      name,
      { status: first.status, headers: { 'idempotency-replayed': 'true' } },
    ]);
    expect(presented.headers).not.toHaveProperty('idempotency-replayed');
    for (const { status, body } of madeAgain.has(name) ? [replayed] : [replayed, presented])
      expect([name, status, body]).toEqual([name, first.status, first.body]);
  }
  await http.close();
  expect(operations.length).toBeGreaterThan(28);
});
