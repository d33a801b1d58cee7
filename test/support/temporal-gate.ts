import { readFileSync } from 'node:fs';
import { connect, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Authority, createAuthority } from './certificates.ts';

/** A way to a Temporal service as a managed one has it: by TLS, perhaps with a key or a client's certificate. */
export interface TemporalGate extends AsyncDisposable {
  /** `localhost:<port>` */
  address: string;
  /** The root that signs its certificate. */
  authority: Authority;
  /** Paths of the calls that went through. */
  calls: string[];
  /** Until it is set back, every call about the namespace is answered that there is none, calls under way too. */
  isNamespaceLost: boolean;
}

/** Access rules of the gate. */
export interface TemporalGateOptions {
  /** host:port of the service, which has no TLS. */
  address: string;
  /** The API key that every call must carry. With a key set, the gate answers no health checks, as Temporal Cloud. */
  apiKey?: string;
  /** PEM file of the root of clients' certificates; absent: none is asked for. */
  clientCaFile?: string;
}

// Code of gRPC: who calls is not known, or may not know.
const unauthenticated = '16';
const notFound = '5';
// Calls that concern no namespace.
const general = /grpc\.health|GetSystemInfo/;

/** Opens it on a free port of 127.0.0.1. */
export async function createTemporalGate(options: TemporalGateOptions): Promise<TemporalGate> {
  const { address, apiKey, clientCaFile } = options;
  const authority = createAuthority();
  const upstream = connect(`http://${address}`);
  const calls: string[] = [];
  const sessions = new Set<{ destroy(): void }>();
  const waiting = new Set<ServerHttp2Stream>();
  let isNamespaceLost = false;

  const server = createSecureServer({
    ...authority.issue(['localhost', '127.0.0.1']),
    ...(clientCaFile === undefined ? {} : { requestCert: true, ca: readFileSync(clientCaFile) }),
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const path = headers[':path']!;
    const isRefused =
      apiKey !== undefined && (headers.authorization !== `Bearer ${apiKey}` || path.includes('grpc.health'));
    if (isRefused) return refuse(stream, unauthenticated);
    if (isNamespaceLost && !general.test(path)) return refuse(stream, notFound);
    calls.push(path);
    pass(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function refuse(stream: ServerHttp2Stream, status: string): void {
    if (stream.destroyed || stream.headersSent) return;
    const head = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': 'no' };
    stream.respond(head, { endStream: true });
  }

  /** Hands a call on, and its answer back. */
  function pass(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { ':scheme': _scheme, ...rest } = headers;
    const call = upstream.request(rest);
    let trailers: IncomingHttpHeaders = {};
    call.on('error', () => stream.destroy());
    waiting.add(stream);
    call.on('response', (answer, flags) => {
      waiting.delete(stream);
      if (stream.destroyed || stream.headersSent) return;
      // An answer of nothing but trailers.
      const endStream = (flags & 1) === 1;
      stream.respond(answer, { endStream, waitForTrailers: !endStream });
      if (!endStream) call.pipe(stream);
    });
    call.on('trailers', (received) => (trailers = received));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.on('close', () => {
      waiting.delete(stream);
      call.destroy();
    });
    stream.pipe(call);
  }

  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    authority,
    calls,
    get isNamespaceLost() {
      return isNamespaceLost;
    },
    set isNamespaceLost(isLost) {
      isNamespaceLost = isLost;
      if (isLost) for (const stream of waiting) refuse(stream, notFound);
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await closed;
    },
  };
}
