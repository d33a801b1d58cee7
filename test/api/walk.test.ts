// @module-tag slow

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '#test/support/openapi.ts';
import {
  exampleOf,
  type Input,
  rightInputs,
  type WrongInput,
  wrongBodies,
  wrongParameters,
} from '#test/support/operation-inputs.ts';
import { isNight } from '#test/support/night.ts';
import { createWalker, type Walker } from '#test/support/walker.ts';

/** Walks /doc: every operation, with inputs made from its own schemas, right ones and wrong ones. */

const seed = 20_260_314;
const runs = isNight ? 6 : 1;

// Fields that take more than their schema says.
const lenient = new Set([
  // The object that answers hold is accepted and ignored, and not described.
  'PATCH /short-link/{id} domain',
  'PUT /short-link/upsert domain',
  // Each row has a result of its own.
  'DELETE /short-link/bulk ids.0',
  'POST /short-link/bulk links.0',
  'PATCH /short-link/bulk links.0',
  'PATCH /short-link/bulk ids.0',
]);

let walker: Walker;
beforeAll(async () => {
  walker = await createWalker();
});
afterAll(() => walker[Symbol.asyncDispose]());

/** @returns a choice of faults: by day one of each operation, and each kind of fault in one of them. */
function createChoice(): (operation: Operation, wrong: WrongInput) => boolean {
  const operations = new Set<string>();
  const faults = new Set<string>();
  return ({ name }, { why }) => {
    const isChosen = isNight || !operations.has(name) || !faults.has(why);
    operations.add(name);
    faults.add(why);
    return isChosen;
  };
}

/** Makes calls that are all wrong. @returns the calls whose answers do not name the wrong field. */
async function refusals(operation: Operation, wrong: readonly WrongInput[]): Promise<string[]> {
  const complaints: string[] = [];
  const headers = await walker.allowedHeaders(operation);
  for (const { path, why, input } of wrong) {
    const { status, body } = await walker.call(operation, input, headers);
    const names = body?.issues?.map((issue) => issue.path) ?? [];
    const isNamed = names.some((name) => path === '' || `${name}.`.startsWith(`${path}.`));
    if (status === 400 && body?.code === 'VALIDATION_ERROR' && isNamed) continue;
    complaints.push(`${operation.name}: ${path} (${why}) → ${status} ${names.join(', ')}`);
  }
  return complaints;
}

// Some two thousand calls: a busy machine needs its time.
describe('every operation of /doc', () => {
  it(
    'every operation answers its own example, and any input that its schemas allow, as described',
    { tags: ['slow', 'nightly'] },
    async () => {
      const { operations, description, idsFor } = walker;
      const successful = new Set<string>();
      for (const operation of operations) {
        const tryOut = async (input: Input): Promise<void> => {
          const { status } = await walker.call(operation, input, await walker.allowedHeaders(operation));
          if (status < 300) successful.add(operation.name);
        };
        await tryOut(exampleOf(operation, description.resolve));
        const inputs = rightInputs(operation, description.resolve, () => idsFor(operation));
        await fc.assert(fc.asyncProperty(inputs, tryOut), { seed, numRuns: runs, endOnFailure: true });
      }
      // Else the walk would say nothing of answers that are no errors. The others need what test/support/preparations.ts makes.
      expect(successful.size).toBeGreaterThan(100);
    },
  );

  it('every operation answers 400 and names the field for a body that its schema forbids', async () => {
    const { operations, description } = walker;
    const complaints: string[] = [];
    const tried = new Set<string>();
    const isChosen = createChoice();
    for (const operation of operations) {
      const wrong = wrongBodies(operation, description.resolve)
        .filter(({ path, why }) => {
          // What is deep inside is the same in all operations that have it: once is enough.
          const name = path.includes('.') ? `${path} ${why}` : `${operation.name} ${path} ${why}`;
          if (tried.has(name) || lenient.has(`${operation.name} ${path.split('.', 2).join('.')}`)) return false;
          tried.add(name);
          return true;
        })
        .filter((fault) => isChosen(operation, fault));
      complaints.push(...(await refusals(operation, wrong)));
    }
    expect(complaints).toEqual([]);
  });

  it('every operation answers 400 and names the field for a query or path that its schema forbids', async () => {
    const complaints: string[] = [];
    // No worker ends the imports of the tests before: a fourth one would be told to wait, whatever is wrong with it.
    await walker.api.db.query(`update imports set state = 'completed', finished_at = now() where finished_at is null`);
    // Identity providers add what they like.
    const closed = walker.operations.filter(({ name }) => !name.startsWith('GET /auth/oidc/callback'));
    const isChosen = createChoice();
    for (const operation of closed) {
      const wrong = wrongParameters(operation, walker.description.resolve);
      complaints.push(
        ...(await refusals(
          operation,
          wrong.filter((fault) => isChosen(operation, fault)),
        )),
      );
    }
    expect(complaints).toEqual([]);
  });

  it('every operation answers 400 to a body that is no JSON object', async () => {
    type Case = [what: string, sent: [payload?: Buffer | string, type?: string]];
    const withBody = walker.operations.filter(({ body }) => body !== undefined);
    for (const [index, operation] of withBody.entries()) {
      const headers = await walker.allowedHeaders(operation);
      const missing: Case[] = [
        ['none', []],
        ['empty', ['']],
      ];
      const cases: Case[] = [
        ...(operation.isBodyOptional ? [] : missing),
        ['cut short', ['{"a":']],
        ['a list', ['[]']],
        ['no UTF-8', [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]],
        ['nested', ['['.repeat(50_000) + ']'.repeat(50_000)]],
        ['nested in a field', [`{"surplus":${'['.repeat(50_000)}${']'.repeat(50_000)}}`]],
        ['too large', [`{"surplus":"${'x'.repeat(4 * 1024 * 1024)}"}`]],
        ['text', ['{}', 'text/plain']],
        ['a form', ['a=b', 'application/x-www-form-urlencoded']],
        ['XML', ['<a/>', 'application/xml']],
      ];
      // By day the operations take turns.
      const chosen = isNight ? cases : [cases[index % cases.length]!];
      for (const [what, sent] of chosen) {
        const { name } = operation;
        const { status, body } = await walker.send(operation, headers, ...sent);
        expect({ name, what, status, code: body?.code }).toEqual({ name, what, status: 400, code: 'VALIDATION_ERROR' });
      }
    }
  });
});
