import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ephemeral ports, which the system may give to any outgoing connection before the caller listens.
const lowest = 12_000;
const highest = 32_000;
const mostTries = 500;

/** Finds different ports of 127.0.0.1 without a listener. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; tries < mostTries && found.size < count; tries += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) found.add(port);
  }
  if (found.size < count) throw new Error(`there are no ${count} free ports`);
  return [...found];
}

/** Finds consecutive ports without a listener. @returns the first one. */
export async function freeNeighbours(count: number): Promise<number> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const first = randomInt(lowest, highest - count);
    const areFree = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (areFree.every(Boolean)) return first;
  }
  throw new Error(`there are no ${count} free ports in a row`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
