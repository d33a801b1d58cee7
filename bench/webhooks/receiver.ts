import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';

// The receiver of a benchmark, in a process of its own. Environment: PORT, and the PEM files TLS_CERT and TLS_KEY.
// /ok… answers 204, /fail… 500, /hang… nothing. /count answers the number of requests, in total and by path.

const counts = new Map<string, number>();
let requests = 0;

const server: Server = createServer(
  { cert: readFileSync(process.env.TLS_CERT!), key: readFileSync(process.env.TLS_KEY!) },
  (request, response) => {
    const path = request.url!;
    if (path === '/count') {
      response.end(JSON.stringify({ requests, paths: Object.fromEntries(counts) }));
      return;
    }
    request.resume();
    request.on('end', () => {
      requests += 1;
      counts.set(path, (counts.get(path) ?? 0) + 1);
      if (path.startsWith('/ok')) response.writeHead(204).end();
      else if (path.startsWith('/fail')) response.writeHead(500).end();
    });
  },
);
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ type: 'ready' }));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
process.on('disconnect', () => process.exit(0));
