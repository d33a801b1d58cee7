import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import type { TemporalAccess } from './access.ts';

// Every service answers it; a managed one may refuse to tell its health.
const path = '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo';
// In gRPC's frame: a flag byte (not compressed), the length, and no bytes.
const emptyMessage = Buffer.alloc(5);

/**
 * Asks a Temporal service whether it serves, without the SDK, which takes 25 MB and longer to load than the server to start. Connects at
 * the first question, and anew at the one after a failure.
 */
export function createHealthCheck({ address, tls, apiKey }: TemporalAccess) {
  let session: ClientHttp2Session | undefined;

  function open(): ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    session = connect(`${tls === undefined ? 'http' : 'https'}://${address}`, {
      ca: tls?.serverRootCACertificate as Buffer | undefined,
      cert: tls?.clientCertPair?.crt as Buffer | undefined,
      key: tls?.clientCertPair?.key as Buffer | undefined,
    });
    // The request under way has it too.
    session.on('error', () => {});
    return session;
  }

  /** @returns headers and trailers; a failed call may have its status in either. */
  function call(signal: AbortSignal): Promise<IncomingHttpHeaders> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingHttpHeaders>();
    const headers = {
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    };
    const request = open().request(headers, { signal });
    const answer: IncomingHttpHeaders = {};
    const take = (received: IncomingHttpHeaders): void => void Object.assign(answer, received);
    request.on('response', take).on('trailers', take).on('error', reject);
    request.on('close', () => resolve(answer));
    request.resume().end(emptyMessage);
    return promise;
  }

  return {
    /** @returns undefined where the service serves; else why not, which never contains the API key. */
    async whyAway(timeoutMs: number): Promise<string | undefined> {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const { 'grpc-status': status, 'grpc-message': message, ...answer } = await call(signal);
        if (status === '0') return undefined;
        return `gRPC status ${String(status)}: ${String(message ?? `HTTP status ${String(answer[':status'])}`)}`;
      } catch (error) {
        // A connection that hangs is not asked again.
        session?.destroy();
        return signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message;
      }
    },
    close: () => session?.destroy(),
  };
}
