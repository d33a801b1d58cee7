// @module-tag process

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createTestEdge, visitEdge } from '#test/support/edge.ts';

const wanted = 10_000;
// For all else that the two processes have open.
const spareDescriptors = 500;
const atOnce = 500;
const mostBytesEach = 15_000;

/** How many files a process may have open; one that is started here may have as many. */
function descriptorLimit(): number {
  const text = spawnSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout.trim();
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text);
}

async function open(port: number, hello: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(hello);
  return socket;
}

function residentBytes({ pid }: ChildProcess): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024;
}

test.skipIf(process.platform !== 'linux')(
  `${wanted} connections that are idle or begin a request cost little, and others are served`,
  { tags: 'nightly' },
  async () => {
    const count = Math.min(wanted, descriptorLimit() - spareDescriptors);
    await using edge = await createTestEdge();
    const { slug } = await edge.link();
    const child = spawn(process.execPath, ['test/support/edge-process.ts'], {
      env: { ...process.env, DATABASE_URL: edge.databaseUrl, WAYMARK_DATA_DIR: edge.dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
    const port = Number(new URL(address).port);
    const visit = () => visitEdge(address, `/${slug}`, { host: edge.domain.domain });
    expect((await visit()).status).toBe(302);
    const before = residentBytes(child);
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const hellos = Array.from({ length: atOnce }, (_, index) => (index % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nx: '));
      sockets.push(...(await Promise.all(hellos.map((hello) => open(port, hello)))));
    }
    expect(residentBytes(child) - before).toBeLessThan(sockets.length * mostBytesEach);
    for (let index = 0; index < 20; index += 1) expect((await visit()).status).toBe(302);
    expect(sockets.filter(({ closed }) => closed)).toHaveLength(0);
    for (const socket of sockets) socket.destroy();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);
