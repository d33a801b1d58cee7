import { type EmbeddedPostgres, type PostgresOptions, startPostgres } from '#scripts/embedded/postgres/postgres.ts';
import { freePorts } from './free-ports.ts';

const mostTries = 5;

/**
 * Starts PostgreSQL on a free port. Another process may take the port before PostgreSQL listens: then it is started on another one.
 * @param findPort gives the port of each try.
 */
export async function startPostgresOnFreePort(
  options: Omit<PostgresOptions, 'port'>,
  findPort = async (): Promise<number> => (await freePorts(1))[0]!,
): Promise<EmbeddedPostgres> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await startPostgres({ ...options, port: await findPort() });
    } catch (error) {
      const isTaken = (error as Error).message.includes('could not create any TCP/IP sockets');
      if (!isTaken || tries === mostTries) throw error;
    }
  }
}
