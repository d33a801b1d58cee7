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

// What they need, the walk does not have: a password, the token of a mail, another organization, a file's address, a delivery, a time of late, the
// name of a link, a change of one, the name of a verified domain, a member, the id of a subject in a query, another session, the id of a call.
const neverSuccessful = new Set([
  'POST /auth/login',
  'POST /auth/organization',
  'POST /auth/oidc/start',
  'POST /auth/invitation',
  'POST /auth/invitation/accept',
  'POST /auth/invitation/join',
  'POST /auth/second-factors/totp/confirm',
  'DELETE /auth/second-factors/totp',
  'POST /auth/second-factors/passkeys',
  'PATCH /auth/second-factors/passkeys/{id}',
  'DELETE /auth/second-factors/passkeys/{id}',
  'POST /auth/second-factors/recovery-codes',
  'POST /auth/confirm/passkey-options',
  'POST /auth/confirm',
  'POST /auth/login/second-factor',
  'POST /auth/login/passkey',
  'POST /organization/invitations/{id}/resend',
  'DELETE /organization/invitations/{id}',
  'POST /auth/organization/leave',
  'POST /organization/transfer',
  'DELETE /organization',
  'GET /organization/deletion',
  'GET /auth/oidc/callback',
  'GET /auth/oidc/callback/{id}',
  'PUT /organization/oidc',
  'DELETE /organization/oidc',
  'DELETE /auth/apps/{id}',
  'POST /auth/password',
  'POST /auth/password/reset',
  'GET /files/public/{urlKey}',
  'POST /webhook/{id}/deliveries/{deliveryId}/redeliver',
  'GET /webhook/{id}/deliveries/{deliveryId}',
  'GET /short-link/lookup',
  'POST /webhook/{id}/recover',
  'POST /short-link/{id}/history/{changeId}/undo',
  'POST /short-link/{id}/move',
  'DELETE /organization/members/{id}',
  'PATCH /organization/members/{id}',
  'GET /process',
  'GET /request-log/{id}',
  'DELETE /auth/sessions/{id}',
]);

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
      // Else the walk would say nothing of answers that are no errors.
      const silent = operations.filter(({ name }) => !successful.has(name) && !neverSuccessful.has(name));
      expect(silent.map(({ name }) => name)).toEqual([]);
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

  it('every operation checks the key first and the permission next', async () => {
    for (const operation of walker.operations) {
      if (operation.caller === 'anybody') continue;
      const { name } = operation;
      const wrong = { query: { surplus: '1' }, path: { id: 'x' }, body: operation.body && { surplus: 1 } };
      const codeOf = async (headers: Record<string, string>): Promise<unknown> => {
        const { status, body } = await walker.call(operation, wrong, headers);
        return { name, status, code: body?.code };
      };
      const isAuth = operation.path.startsWith('/auth/');
      expect(await codeOf({})).toEqual({ name, status: 401, code: 'UNAUTHORIZED' });
      expect(await codeOf({ 'x-api-key': `wm_live_${'0'.repeat(43)}` })).toEqual(
        isAuth ? { name, status: 403, code: 'FORBIDDEN' } : { name, status: 401, code: 'UNAUTHORIZED' },
      );
      const refused = { name, status: 403, code: isAuth ? 'FORBIDDEN' : 'ACTION_NOT_ALLOWED' };
      // Every key may call it.
      const isOpen = name === 'GET /organization';
      const expected = isOpen ? { name, status: 400, code: 'VALIDATION_ERROR' } : refused;
      expect(await codeOf({ 'x-api-key': walker.bareKey })).toEqual(expected);
    }
  });
});
