import { createServer } from 'node:http';
import { aborted, reportReady, runToExit, stopSignal } from '#adapters/machine/process.ts';

// The floor of everything that Node serves: its own server, which answers a constant redirect.

async function main(): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: 'https://example.com/', 'content-length': 0 }).end();
  });
  await new Promise<void>((resolve) => server.listen(Number(process.env.PORT), '127.0.0.1', resolve));
  reportReady();
  await aborted(stopSignal());
  server.close();
  server.closeAllConnections();
}

await runToExit(main, () => false);
