import { createServer } from 'node:net';
import type { Config } from '#config/load.ts';
import { StartError } from '#scripts/embedded/start-error.ts';
import { metricsPorts } from './processes.ts';

/** @throws StartError that names the ports of the settings that cannot be listened on. */
export async function checkPorts(config: Config): Promise<void> {
  const { HOST: host } = config;
  const loopback = '127.0.0.1';
  const ownTemporal = config.TEMPORAL_ADDRESS === undefined;
  const planned: [variable: string, port: number | undefined, host: string][] = [
    ['PORT', config.PORT, host],
    ['EDGE_PORT', config.EDGE_PORT, host],
    ['EDGE_INTERNAL_PORT', config.EDGE_INTERNAL_PORT, host],
    ['DATABASE_PORT', config.DATABASE_URL === undefined ? config.DATABASE_PORT : undefined, loopback],
    ['CLICKHOUSE_PORT', config.CLICKHOUSE === 'embedded' ? config.CLICKHOUSE_PORT : undefined, loopback],
    ['TEMPORAL_PORT', ownTemporal ? config.TEMPORAL_PORT : undefined, loopback],
    ['TEMPORAL_UI_PORT', ownTemporal ? config.TEMPORAL_UI_PORT : undefined, loopback],
  ];
  for (const { name, port, host: metricsHost } of metricsPorts(config))
    planned.push([`METRICS_PORT (${name})`, port, metricsHost]);
  const ports = planned.flatMap(([variable, port, at]) => (port === undefined ? [] : [{ variable, port, host: at }]));
  const problems = await findPortProblems(ports);
  if (problems.length === 0) return;
  throw new StartError(['These ports cannot be used:', ...problems.map((line) => `  ${line}`)].join('\n'));
}

/** A port to listen on, and the variable that sets it. */
interface PlannedPort {
  variable: string;
  port: number;
  host: string;
}

/** @returns a line with variable, port and reason for each port that is not available. */
export async function findPortProblems(ports: readonly PlannedPort[]): Promise<string[]> {
  const problems: string[] = [];
  for (const [index, planned] of ports.entries()) {
    const { variable, port, host } = planned;
    const twin = ports.slice(0, index).find((other) => other.port === port);
    const problem = twin === undefined ? await tryPort(port, host) : `is the same as ${twin.variable}`;
    if (problem !== undefined) problems.push(`${variable}: port ${port} ${problem}`);
  }
  return problems;
}

function tryPort(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(`is in use on ${host}`);
      else if (error.code === 'EACCES') resolve('needs more rights than this user has');
      else resolve(`cannot be listened on at ${host} (${error.code ?? error.message})`);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
