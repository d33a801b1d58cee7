import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { findPortProblems } from '#scripts/supervisor/ports.ts';
import { freePorts } from '#test/support/free-ports.ts';

const host = '127.0.0.1';

test('free ports have no problem', async () => {
  const [first, second] = await freePorts(2);
  const ports = [
    { variable: 'PORT', port: first!, host },
    { variable: 'EDGE_PORT', port: second!, host },
  ];
  expect(await findPortProblems(ports)).toEqual([]);
});

test('the check names every port in use and every port that is configured twice', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  const [free] = await freePorts(1);
  const problems = await findPortProblems([
    { variable: 'PORT', port, host },
    { variable: 'EDGE_PORT', port: free!, host },
    { variable: 'DATABASE_PORT', port: free!, host },
  ]);
  server.close();
  expect(problems).toEqual([
    `PORT: port ${port} is in use on 127.0.0.1`,
    `DATABASE_PORT: port ${free} is the same as EDGE_PORT`,
  ]);
});
