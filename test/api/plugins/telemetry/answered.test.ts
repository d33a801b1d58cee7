import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { onAnswered } from '#api/plugins/telemetry/answered.ts';
import { eventually } from '#test/support/eventually.ts';

let app: FastifyInstance;
let url: string;
let gate: PromiseWithResolvers<void>;
let begun: number;
let told: string[];

beforeEach(async () => {
  gate = Promise.withResolvers();
  [begun, told] = [0, []];
  app = Fastify();
  onAnswered(app, ({ url }, { statusCode }) => told.push(`${url} ${statusCode}`));
  app.get('/slow', async (_request, reply) => {
    begun += 1;
    await gate.promise;
    return reply.code(201).send({});
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

it('an answered request is told once, over a connection and without one', async () => {
  gate.resolve();
  await (await fetch(`${url}/slow`)).json();
  await eventually(() => told.length > 0);
  await app.inject('/slow');
  await app.inject('/none');
  expect(told).toEqual(['/slow 201', '/slow 201', '/none 404']);
});

it('one whose client has left is told once its answer is ready', async () => {
  const client = new AbortController();
  const call = fetch(`${url}/slow`, { signal: client.signal }).catch((error: Error) => error.name);
  await eventually(() => begun > 0);
  client.abort();
  expect(await call).toBe('AbortError');
  expect(told).toEqual([]);
  gate.resolve();
  await eventually(() => told.length > 0);
  await app.close();
  expect(told).toEqual(['/slow 201']);
});
