import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Agent } from 'undici';

// The baseline of W1, undici alone. A request `{requests, connections, paths}` on PORT makes it post that many bodies of BODY_BYTES
// to ORIGIN; the answer is the time that took. No sender of webhooks on undici can be faster.

const origin = process.env.ORIGIN!;
const body = JSON.stringify({ data: 'x'.repeat(Number(process.env.BODY_BYTES) - 11) });
const agent = new Agent({ connect: { ca: readFileSync(process.env.CA!) } });

interface Task {
  requests: number;
  connections: number;
  paths: string[];
}

async function post(path: string): Promise<void> {
  const { statusCode, body: answer } = await agent.request({
    origin,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  await answer.dump();
  if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`);
}

async function work({ requests, connections, paths }: Task): Promise<number> {
  const startedAt = performance.now();
  let begun = 0;
  const one = async (): Promise<void> => {
    while (begun < requests) {
      begun += 1;
      await post(paths[begun % paths.length]!);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return performance.now() - startedAt;
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  request.on('end', () => {
    work(JSON.parse(text) as Task).then(
      (durationMs) => response.end(JSON.stringify({ durationMs })),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ type: 'ready' }));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
process.on('disconnect', () => process.exit(0));
