import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A slow Web Risk, so that a fault finds lookups under way. */
interface SlowWebRisk extends AsyncDisposable {
  url: string;
}

// A choice: longer than a real lookup takes.
const leastMs = 50;
const mostMs = 500;
const expireInMs = 3_600_000;

/** Starts it on a free port of 127.0.0.1: URLs of `flaggedHost` are malware, all others are clean. */
export async function startSlowWebRisk(flaggedHost: string): Promise<SlowWebRisk> {
  const server = createServer((request, response) => {
    const uri = new URL(request.url ?? '', 'http://localhost').searchParams.get('uri') ?? '';
    const isFlagged = URL.canParse(uri) && new URL(uri).hostname === flaggedHost;
    const expireTime = new Date(Date.now() + expireInMs).toISOString();
    const answer = isFlagged ? { threat: { threatTypes: ['MALWARE'], expireTime } } : {};
    const timer = setTimeout(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      leastMs + Math.random() * (mostMs - leastMs),
    );
    response.on('close', () => clearTimeout(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
