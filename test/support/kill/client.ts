import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/**
 * Outcome of a request. `refused`: no server accepted the connection; `broken`: the request may have arrived, and its answer
 * did not arrive whole.
 */
export type Outcome =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; body: string }
  | { kind: 'refused' | 'broken' };

/** A request to a server. */
export interface Call {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An HTTP client that keeps its connections. */
export interface Client extends Disposable {
  /** Never rejects. */
  send(call: Call): Promise<Outcome>;
}

/** A client of one server with at most `connections` connections, which waits so long for an answer. */
export function createClient(url: string, connections: number, timeoutMs = 15_000): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  return {
    send: ({ method = 'GET', path, headers, body }) =>
      new Promise((resolve) => {
        const fail = (error: NodeJS.ErrnoException): void =>
          resolve({ kind: error.code === 'ECONNREFUSED' ? 'refused' : 'broken' });
        const outgoing = request({ agent, hostname, port, method, path, headers, timeout: timeoutMs }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', fail);
          response.on('end', () =>
            resolve({ kind: 'answer', status: response.statusCode!, headers: response.headers, body: text }),
          );
        });
        outgoing.on('error', fail);
        outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer for ${timeoutMs} ms`)));
        outgoing.end(body);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
