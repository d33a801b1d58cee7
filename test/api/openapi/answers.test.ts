import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answersPath, readAnswers } from '#api/openapi/answers.ts';
import { root } from '#scripts/lib/paths.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createWalker } from '#test/support/walker.ts';

// What differs from run to run, in the form in which the description shows it.
const changing: readonly [RegExp, string | ((found: string, index: number) => string)][] = [
  [/[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (_id, index) => idAt(index)],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-14T15:09:26.535Z'],
  [/wm_live_[\dA-Za-z]{43}/g, `wm_live_${'EXAMPLE'.repeat(7).slice(0, 43)}`],
  [/whsec_[\w+/=]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  [/waymark-verify=[\da-f]+/g, 'waymark-verify=2f1c8f2f0a7b4a6f9d35c1f8e8b61d07a4c94e1b'],
  [/(?<=\/files\/public\/)[\da-f]{32}/g, '3f0d7c52a1b94e6f8c7a5d2e9b604f11'],
  [/(?<="(?:slug|name)":")[1-9A-HJ-NP-Za-km-z]{7}(?=")/g, 'k3v9x2q'],
  [/(?<=http:\/\/localhost:3001\/)[1-9A-HJ-NP-Za-km-z]{7}(?=["?])/g, 'k3v9x2q'],
  [/(?<="last4":")[^"]{4}/g, 'x7Qp'],
  [/(?<="nextCursor":")[^"]+/g, 'MTc3MzUwMDk2NjUzNSAwMTk1YTFlZg'],
  [/(?<="email":")[^"]+/g, 'ada@example.com'],
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

// Their answers tell of the machine, of the day, or hold random secrets in forms of their own.
const unsettled = new Set([
  'beginPasskey',
  'beginTotp',
  'checkReadiness',
  'getClicksOverTime',
  'getStatsReport',
  'listAuditLog',
  'listProcesses',
]);

// Files, and what an authenticator signs.
const withoutExample = new Set([
  'addPasskey',
  'importShortLinks',
  'signInByPasskey',
  'uploadMetaTagImage',
  'uploadQrCodeImage',
]);

it('every body of a request has an example', async () => {
  await using walker = await createWalker();
  const { description, operations } = walker;
  const silent = operations.filter(
    ({ body }) => body !== undefined && description.resolve(body as never)?.example === undefined,
  );
  const names = silent.map((operation) => walker.operationOf(operation).operationId);
  expect(names.filter((name) => !withoutExample.has(name))).toEqual([]);
});

it('the success examples of /doc are answers that the request examples beside them got (WRITE_ANSWERS=1 renews them)', async () => {
  await using walker = await createWalker();
  const { description, operations } = walker;
  const answers: Record<string, { status: number; body: unknown }> = {};
  for (const operation of operations) {
    const { operationId } = walker.operationOf(operation);
    const input = exampleOf(operation, description.resolve);
    const { status, body } = await walker.call(operation, input, await walker.allowedHeaders(operation));
    if (status >= 300 || body === undefined || unsettled.has(operationId)) continue;
    answers[operationId] = { status, body: settled(JSON.stringify(body)) };
  }
  if (process.env.WRITE_ANSWERS === '1') {
    writeFileSync(join(root, answersPath), `${JSON.stringify(answers, null, 2)}\n`);
    return;
  }
  expect(answers).toEqual(readAnswers());
  expect(Object.keys(answers).length).toBeGreaterThan(60);
});
