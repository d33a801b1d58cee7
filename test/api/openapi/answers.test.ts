// @module-tag slow

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswers } from '#api/openapi/document.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { root } from '#scripts/lib/paths.ts';
import { startOidc } from '#test/support/oidc.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createPreparations } from '#test/support/preparations.ts';
import { createWalker } from '#test/support/walker.ts';

// What differs from run to run, in the form in which the description shows it.
const changing: readonly [RegExp, string | ((found: string, index: number) => string)][] = [
  [/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (_id, index) => idAt(index)],
  // Midnights are beginnings of days that a request names.
  [/\d{4}-\d\d-\d\dT(?!00:00:00\.000)\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-14T15:09:26.535Z'],
  [/wm_live_[\dA-Za-z]{43}/g, `wm_live_${'EXAMPLE'.repeat(7).slice(0, 43)}`],
  [/whsec_[\w+/=]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  [/waymark-verify=[\da-f]+/g, 'waymark-verify=2f1c8f2f0a7b4a6f9d35c1f8e8b61d07a4c94e1b'],
  [/(?<=\/files\/public\/)[\da-f]{32}/g, '3f0d7c52a1b94e6f8c7a5d2e9b604f11'],
  [/(?<="(?:slug|name)":")(?!Waymark)[1-9A-HJ-NP-Za-km-z]{7}(?=")/g, 'k3v9x2q'],
  [/(?<=http:\/\/localhost:3001\/)[1-9A-HJ-NP-Za-km-z]{7}(?=["?])/g, 'k3v9x2q'],
  [/(?<="latencyMs":)[\d.]+/g, '12.3'],
  [/(?<="last4":")[^"]{4}/g, 'x7Qp'],
  [/(?<="nextCursor":")[^"]+/g, 'MTc3MzUwMDk2NjUzNSAwMTk1YTFlZg'],
  [/(?<="email":")[^"]+/g, 'ada@example.com'],
  [
    /(?<="(?:progressToken|token|challenge)":")[^"]+/g,
    'AZuMZ1hXd2KTn0c1GvMkZ2Q3ZGMyMWZiY2Y1OWFkMTY3OTk0MmFiYzg5MGFiY2Rl',
  ],
  [/(?<=secret=|"secret":")[A-Z2-7]{16,}/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/(?<=")[\dA-Z]{4}(?:-[\dA-Z]{4}){3}(?=")/g, '7Q2M-X04K-9VBT-RD3H'],
  [/(?<="id":")[\w-]{43}(?=")/g, 'AZuMZ1hXd2KTn0c1GvMkZ2Q3ZGM'],
  [/(?<="user":{"id":")[^"]+(?=","name")/g, 'AZuMZ1hXd2KTn0c1GvMkZw'],
  [/(?<="url":")http:\/\/127\.0\.0\.1:\d+\/[^"]+/g, 'https://login.example.com/authorize?client_id=waymark'],
  [/http:\/\/127\.0\.0\.1:\d+(?=")/g, 'https://login.example.com'],
  // The machine's own state.
  [/(?<="degraded":\[)[^\]]*/g, ''],
  [/person\d+(?=@|%40)/g, 'ada'],
  [/owner-[\da-f-]{36}@test\.example/g, 'ada@example.com'],
  [/Organization \d+/g, 'Example'],
  [/(?<="name":")Person \d+/g, 'Ada Lovelace'],
];

const idAt = (index: number): string => `0195a1ef-9c0b-7a41-8f8e-0d6a5b1b${index.toString(16).padStart(4, '0')}`;

/** Whether a call is answered in a form where it succeeds. */
const answersIn = (form: string, responses: Record<string, { content?: object }>): boolean =>
  Object.entries(responses).some(([status, { content = {} }]) => status.startsWith('2') && form in content);

/** An answer in which equal values stay equal, and different ones different. */
function settled(text: string): unknown {
  return JSON.parse(
    changing.reduce((shown, [pattern, by]) => {
      const seen: string[] = [];
      return shown.replaceAll(pattern, (found) => {
        if (typeof by === 'string') return by;
        if (!seen.includes(found)) seen.push(found);
        return by(found, seen.indexOf(found));
      });
    }, text),
  );
}

it('every body of a request has an example', async () => {
  await using walker = await createWalker();
  const { description, operations } = walker;
  const bodies = operations.flatMap((operation) => {
    const { operationId, requestBody } = walker.operationOf(operation);
    return Object.values(requestBody?.content ?? {}).map(({ schema }) => ({ operationId, schema }));
  });
  const silent = bodies.filter(({ schema }) => description.resolve(schema).example === undefined);
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  expect(bodies.length).toBeGreaterThan(49);
});

it(
  'the success examples of /doc are answers that the request examples beside them got (WRITE_ANSWERS=1 renews them)',
  { tags: 'nightly' },
  async () => {
    await using oidc = await startOidc(/^http:\/\/localhost:3000\/auth\/oidc\/callback\/[0-9a-f-]{36}$/);
    const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
    const client = createOidcClient({ http });
    await using walker = await createWalker({ oidc: { trusted: client, guarded: client } });
    const { description, operations } = walker;
    const prepare = createPreparations(walker.api, oidc);
    const answers: ReturnType<typeof readAnswers> = {};
    for (const operation of operations) {
      const { operationId, responses } = walker.operationOf(operation);
      const { headers = await walker.allowedHeaders(operation), ...more } = (await prepare(operationId)) ?? {};
      const input = { ...exampleOf(operation, description.resolve), ...more };
      const answer = await walker.call(operation, input, headers);
      const { status, body } = answer;
      if (status >= 300) continue;
      if (body !== undefined) answers[operationId] = { status, body: settled(JSON.stringify(body)) };
      if (!answersIn('text/csv', responses)) continue;
      const inCsv = { ...input, query: { ...input.query, format: 'csv' } };
      const { csv } = body === undefined ? answer : await walker.call(operation, inCsv, headers);
      answers[operationId] = { status, ...answers[operationId], csv: settled(JSON.stringify(csv)) as string };
    }
    await http.close();
    if (process.env.WRITE_ANSWERS === '1') {
      writeFileSync(join(root, 'api/openapi/answers.json'), `${JSON.stringify(answers, null, 2)}\n`);
      return;
    }
    expect(answers).toEqual(readAnswers());
    const described = operations.map((operation) => walker.operationOf(operation));
    const named = (form: string) =>
      described.filter(({ responses }) => answersIn(form, responses)).map(({ operationId }) => operationId);
    expect(named('application/json').filter((name) => answers[name]?.body === undefined)).toEqual([]);
    expect(named('application/json').length).toBeGreaterThan(126);
    // A header and a row.
    const rowsOf = (name: string): number => answers[name]?.csv?.trim().split('\n').length ?? 0;
    expect(named('text/csv').filter((name) => rowsOf(name) < 2)).toEqual([]);
    expect(named('text/csv')).toHaveLength(3);
  },
);
