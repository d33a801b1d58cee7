import { expect, test } from 'vitest';
import { startMetrics } from '#adapters/metrics.ts';
import { loadConfig } from '#config/load.ts';
import { namingPorts } from '#start/shared.ts';

test.each([
  ['METRICS_HOST', 'nowhere.invalid', /ENOTFOUND|EAI_AGAIN/],
  // An address for documentation (RFC 5737).
  ['HOST', '192.0.2.1', /EADDRNOTAVAIL/],
])('a process that cannot listen on %s names the setting: %s', async (name, host, code) => {
  const config = loadConfig({ [name]: host, METRICS_PORT: '9464' });
  const listening = namingPorts(config, ['METRICS_PORT'], () => startMetrics({ host, port: 9464 }));
  await expect(listening).rejects.toMatchObject({
    mistakes: [expect.stringMatching(`^${name}: ${host} cannot be listened on \\((?:${code.source})\\)$`)],
  });
});
