import { createServer } from 'node:net';

/** A port to listen on, and the variable that sets it. */
export interface PlannedPort {
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
