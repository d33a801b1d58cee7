import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { collectStartGarbage } from '#adapters/machine/heap.ts';
import { findLanAddress } from '#adapters/machine/own-addresses.ts';
import type { DemoCredentials } from '#commands/organizations/demo.ts';
import { type Config, ConfigError, fileNames, loadConfig } from '#config/load.ts';
import { StartError } from './embedded/start-error.ts';
import { waymarkVersion } from './lib/paths.ts';
import { createSite } from '#core/links/site.ts';
import { lanEnvironment } from './supervisor/lan.ts';
import { elapsed } from './supervisor/output.ts';
import { temporalUiUrl } from './supervisor/processes.ts';
import { buildPagesInChild } from './supervisor/pages.ts';
import { createStack } from './supervisor/stack.ts';
import { onStopSignal } from './supervisor/stop-signals.ts';

// `npm start`: starts the whole product, restarts processes that die, and stops all on Ctrl-C.

// npm, told to end, does so at once.
const longestEndMs = 5_000;

// The terminal may close first, which must not interrupt the stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exit(await main());

async function main(): Promise<number> {
  const startedAt = performance.now();
  let config: Config;
  try {
    // The children inherit the environment.
    if (readArguments().lan) Object.assign(process.env, lanEnvironment(process.env, findLanAddress()));
    config = loadConfig(process.env, { files: fileNames });
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof StartError)) throw error;
    console.error(error.message);
    return 1;
  }
  console.log(`Waymark ${waymarkVersion()}, data in ${config.WAYMARK_DATA_DIR}`);
  const stack = createStack(config, console.log);
  const stop = Promise.withResolvers<void>();
  // `npm start | head -5` ends as Ctrl-C does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.resolve());
  onStopSignal((wish) => {
    console.log(wish === 'stop' ? 'Stopping. Press Ctrl-C again to stop at once.' : 'Stopping at once.');
    stop.resolve();
    if (wish === 'hurry') void stack.stop({ hurry: true });
  });
  process.on('uncaughtException', (error) => stop.reject(error));

  let exitCode = 0;
  let pages: Promise<void> | undefined;
  try {
    const started = stack.start().then((credentials) => {
      console.log(summary(config, credentials, startedAt));
      collectStartGarbage();
      pages = buildPagesInChild(stop.promise);
    });
    await Promise.race([started, stop.promise, stack.failed]);
    await Promise.race([stop.promise, stack.failed]);
  } catch (error) {
    exitCode = 1;
    console.error(error instanceof StartError ? error.message : error);
  }
  const stoppedAt = performance.now();
  stop.resolve();
  await stack.stop();
  // What installs packages must not go on behind the next start.
  await Promise.race([pages, sleep(longestEndMs, undefined, { ref: false })]);
  if (exitCode === 0) console.log(`Stopped (${elapsed(stoppedAt)}).`);
  return exitCode;
}

/** @throws StartError for an unknown argument. */
function readArguments(): { lan: boolean } {
  try {
    const { values } = parseArgs({ options: { lan: { type: 'boolean', default: false } } });
    return values;
  } catch (error) {
    throw new StartError(
      `${(error as Error).message}\nnpm start takes one option: npm start -- --lan (serve phones on the same network)`,
    );
  }
}

/** Where a person signs in; the e-mail address is filled in. */
function consoleAddress(config: Config, credentials: DemoCredentials | undefined): string {
  const email = credentials?.adminEmail;
  return `${config.BASE_URL}/console/sign-in${email === undefined ? '' : `?email=${email}`}`;
}

function summary(config: Config, credentials: DemoCredentials | undefined, startedAt: number): string {
  const { EDGE_SCHEME: scheme, PLATFORM_DOMAIN: platformDomain, PLATFORM_ADDRESS: platformAddress } = config;
  const { shownDomain } = createSite({ scheme, platformDomain, platformAddress });
  const onNetwork = shownDomain === platformDomain ? undefined : `${scheme}://${shownDomain}`;
  const rows: [string, string | undefined][] = [
    ['Console', consoleAddress(config, credentials)],
    ['API', config.BASE_URL],
    ['API docs', `${config.BASE_URL}/ui`],
    ['Docs', `${config.BASE_URL}/docs/`],
    ['Edge', config.EDGE_URL],
    ['For phones', onNetwork],
    ['Temporal UI', temporalUiUrl(config)],
    ['E-mail', credentials?.adminEmail],
    ['Password', credentials?.adminPassword],
    ['API key', credentials?.apiKey],
  ];
  const known = rows.filter(([, value]) => value !== undefined);
  const lines = known.map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  return ['', `Started in ${elapsed(startedAt)}.`, '', ...lines, '', 'ready'].join('\n');
}
