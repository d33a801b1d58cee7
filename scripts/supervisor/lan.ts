import { isIPv6 } from 'node:net';
import { StartError } from '#scripts/embedded/start-error.ts';

/**
 * Variables that `npm start -- --lan` adds: the API and the edge listen on all addresses, and short links and files use `address`,
 * this machine's address on its network. Variables that are set stay.
 * @throws StartError without an address, or where short links have another host.
 */
export function lanEnvironment(env: NodeJS.ProcessEnv, address: string | undefined): Record<string, string> {
  const value = (name: string): string | undefined => env[name]?.trim() || undefined;
  const shown = value('PLATFORM_ADDRESS') ?? address;
  if (shown === undefined) throw new StartError('--lan: this machine has no address on a network.');
  for (const name of ['EDGE_URL', 'PLATFORM_DOMAIN']) {
    const set = value(name);
    if (set === undefined || set.replace(/^https?:\/\//i, '').startsWith('localhost')) continue;
    throw new StartError(
      `--lan: ${name} is ${set}, so short links do not lead to this machine's address.\n` +
        `Leave ${name} out, or set HOST instead of --lan.`,
    );
  }
  const host = isIPv6(shown) ? `[${shown}]` : shown;
  return {
    HOST: value('HOST') ?? (isIPv6(shown) ? '::' : '0.0.0.0'),
    PLATFORM_ADDRESS: shown,
    BASE_URL: value('BASE_URL') ?? `http://${host}:${value('PORT') ?? '3000'}`,
  };
}
