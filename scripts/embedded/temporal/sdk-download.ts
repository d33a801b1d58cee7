import { createRequire } from 'node:module';
import { Runtime } from '@temporalio/worker';

// `node sdk-download.ts <folder> <version>`, a child process: downloads the Temporal binary into the folder by the SDK. The SDK
// downloads only when it starts a server, so this starts one in memory and stops it again.
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
