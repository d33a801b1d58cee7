import { isIPv6 } from 'node:net';
import { StartError } from '#scripts/embedded/start-error.ts';

/**
 * What `npm start -- --lan` adds to the environment: the API and the edge listen on all addresses, and short links and files
 * show `address`, that of this machine on its network. What is set already stays.
 * @throws StartError where there is no such address, or short links lead elsewhere.
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
