import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answersPath, readAnswers } from '#api/openapi/answers.ts';
import { root } from '#scripts/lib/paths.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createPreparations } from '#test/support/preparations.ts';
import { createWalker } from '#test/support/walker.ts';

// What differs from run to run, in the form in which the description shows it.
const changing: readonly [RegExp, string | ((found: string, index: number) => string)][] = [
  [/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (_id, index) => idAt(index)],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-14T15:09:26.535Z'],
  [/wm_live_[\dA-Za-z]{43}/g, `wm_live_${'EXAMPLE'.repeat(7).slice(0, 43)}`],
  [/whsec_[\w+/=]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  [/waymark-verify=[\da-f]+/g, 'waymark-verify=2f1c8f2f0a7b4a6f9d35c1f8e8b61d07a4c94e1b'],
  [/(?<=\/files\/public\/)[\da-f]{32}/g, '3f0d7c52a1b94e6f8c7a5d2e9b604f11'],
  [/(?<="(?:slug|name)":")(?!Waymark)[1-9A-HJ-NP-Za-km-z]{7}(?=")/g, 'k3v9x2q'],
  [/(?<=http:\/\/localhost:3001\/)[1-9A-HJ-NP-Za-km-z]{7}(?=["?])/g, 'k3v9x2q'],
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
  [/person\d+(?=@|%40)/g, 'ada'],
  [/Organization \d+/g, 'Example'],
  [/(?<="name":")Person \d+/g, 'Ada Lovelace'],
];

const idAt = (index: number): string => `0195a1ef-9c0b-7a41-8f8e-0d6a5b1b${index.toString(16).padStart(4, '0')}`;

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

// Their answers tell of the machine or of the day.
const unsettled = new Set(['checkReadiness', 'getClicksOverTime', 'getStatsReport', 'listAuditLog', 'listProcesses']);

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
  { timeout: 120_000 },
  async () => {
    await using walker = await createWalker();
    const { description, operations } = walker;
    const prepare = createPreparations(walker.api);
    const answers: Record<string, { status: number; body: unknown }> = {};
    for (const operation of operations) {
      const { operationId } = walker.operationOf(operation);
      const { headers, ...more } = (await prepare(operationId)) ?? {};
      const input = { ...exampleOf(operation, description.resolve), ...more };
      const { status, body } = await walker.call(operation, input, headers ?? (await walker.allowedHeaders(operation)));
      if (status >= 300 || body === undefined || unsettled.has(operationId)) continue;
      answers[operationId] = { status, body: settled(JSON.stringify(body)) };
    }
    if (process.env.WRITE_ANSWERS === '1') {
      writeFileSync(join(root, answersPath), `${JSON.stringify(answers, null, 2)}\n`);
      return;
    }
    expect(answers).toEqual(readAnswers());
    expect(Object.keys(answers).length).toBeGreaterThan(115);
  },
);
