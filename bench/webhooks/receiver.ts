import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

// The receiver of a benchmark, in a process of its own. Environment: PORT, and the PEM files TLS_CERT and TLS_KEY.
// /ok… answers 204, /fail… 500, /hang… nothing.

const pem = { cert: readFileSync(process.env.TLS_CERT!), key: readFileSync(process.env.TLS_KEY!) };
const server = createServer(pem, (request, response) => {
  request.resume().on('end', () => {
    if (request.url!.startsWith('/ok')) response.writeHead(204).end();
    else if (request.url!.startsWith('/fail')) response.writeHead(500).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.({ type: 'ready' }));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
process.on('disconnect', () => process.exit(0));
