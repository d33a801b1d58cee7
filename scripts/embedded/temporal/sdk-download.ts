import { createRequire } from 'node:module';
import { Runtime } from '@temporalio/worker';

// Run as a process of its own: `node sdk-download.ts <folder> <version>` leaves the Temporal binary that the SDK downloads in
// the folder. The SDK only downloads on the way to starting a server, so a small one in memory is started and ended again.
const [folder, cliVersion = 'default'] = process.argv.slice(2);
const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };

try {
  const runtime = Runtime.instance();
  const server = await runtime.createEphemeralServer({
    type: 'dev-server',
    exe: {
      type: 'cached-download',
      downloadDir: folder ?? null,
      version: cliVersion,
      ttl: 0,
      sdkName: 'sdk-typescript',
      sdkVersion: version,
    },
    namespace: 'default',
    ip: '127.0.0.1',
    port: null,
    uiPort: null,
    dbFilename: null,
    ui: false,
    log: { format: 'json', level: 'error' },
    extraArgs: [],
  });
  await runtime.shutdownEphemeralServer(server);
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
