import { createServer, type Server } from 'node:net';

/** Finds ports of 127.0.0.1 that nobody listens on just now, all of them different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Finds ports that follow one another and that nobody listens on just now. @returns the first one. */
export async function freeNeighbours(count: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const [first] = (await freePorts(1)) as [number];
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const servers = await Promise.allSettled(ports.map(listen));
    const taken = servers.filter((server) => server.status === 'fulfilled').map(({ value }) => value);
    await Promise.all(taken.map((server) => new Promise((resolve) => server.close(resolve))));
    if (taken.length === count) return first;
  }
  throw new Error(`there are no ${count} free ports in a row`);
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
