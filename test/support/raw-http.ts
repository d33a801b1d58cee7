import { connect, type Socket } from 'node:net';

/** A connection to a server, and what the server has sent on it. */
export interface RawConnection {
  socket: Socket;
  answer: () => string;
  /** The whole text that the server sent, once it has closed the connection. */
  closed: Promise<string>;
}

/** Connects to a server. */
export function openRaw(address: string): Promise<RawConnection> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ host: hostname, port: Number(port) });
    const closed = new Promise<string>((done) => socket.once('close', () => done(answer)));
    socket.setEncoding('latin1').on('data', (part) => (answer += part as unknown as string));
    socket.once('connect', () => resolve({ socket, answer: () => answer, closed }));
    socket.on('error', reject);
  });
}

/** Sends bytes as they are. @returns the answer, once the server closes the connection. */
export async function sendRaw(address: string, text: string): Promise<string> {
  const { socket, closed } = await openRaw(address);
  socket.write(text, 'latin1');
  return closed;
}

/** The bytes of a request after which the server closes the connection. */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string>,
  { body = '', type = 'application/json' } = {},
): string {
  const ofBody = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
  const all = { connection: 'close', ...headers, ...(body === '' ? {} : ofBody) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/** Status and headers of an answer. @throws where a header comes twice. */
export function readHead(answer: string): { status: number; headers: Record<string, string> } {
  const [first = '', ...lines] = answer.split('\r\n\r\n')[0]!.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [name = '', ...value] = line.split(': ');
    if (Object.hasOwn(headers, name.toLowerCase())) throw new Error(`The header ${name} comes twice.`);
    headers[name.toLowerCase()] = value.join(': ');
  }
  return { status: Number(first.split(' ')[1]), headers };
}
