import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { TemporalAccess } from './access.ts';

/** Asks a Temporal service whether it serves, without the SDK, which takes 25 MB and longer to load than the server to start. */
export interface HealthCheck {
  /** @returns undefined where the service serves; else why not, which never contains the API key. */
  whyAway(timeoutMs: number): Promise<string | undefined>;
  close(): void;
}

/** A gRPC answer. */
interface Answer {
  /** Status code of gRPC; 0: OK. */
  code: number;
  message: string;
  /** The protobuf message, without gRPC's frame; empty where the call failed. */
  body: Buffer;
}

const healthPath = '/grpc.health.v1.Health/Check';
const workflowService = 'temporal.api.workflowservice.v1.WorkflowService';
const infoPath = `/${workflowService}/GetSystemInfo`;
// PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED.
const refusingCodes = new Set([7, 12, 16]);
const unknownCode = 2;
const frameHeadBytes = 5;
// HealthCheckResponse: field 1, `status`, is SERVING.
const servingAnswer = Buffer.of(0x08, 1);

/** Connects at the first question, and anew at the one after a failure. */
export function createHealthCheck({ address, tls, apiKey }: TemporalAccess): HealthCheck {
  let session: ClientHttp2Session | undefined;

  function open(): ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const options: SecureClientSessionOptions = {};
    if (tls?.serverRootCACertificate !== undefined) options.ca = tls.serverRootCACertificate as Buffer;
    if (tls?.clientCertPair !== undefined) {
      options.cert = tls.clientCertPair.crt as Buffer;
      options.key = tls.clientCertPair.key as Buffer;
    }
    session = connect(`${tls === undefined ? 'http' : 'https'}://${address}`, options);
    return session;
  }

  /** @throws Error where no answer came in time. */
  function call(path: string, message: Buffer, timeoutMs: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const connection = open();
      const fail = (error: Error): void => {
        clearTimeout(timer);
        connection.off('error', fail);
        // A connection that hangs is not asked again.
        connection.on('error', () => {});
        connection.destroy();
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      connection.on('error', fail);
      const request = connection.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      });
      let headers: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      request.on('response', (received) => (headers = received));
      request.on('trailers', (received) => (trailers = received));
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', fail);
      request.on('close', () => {
        clearTimeout(timer);
        connection.off('error', fail);
        resolve(readAnswer(headers, trailers, Buffer.concat(chunks)));
      });
      request.end(frame(message));
    });
  }

  return {
    async whyAway(timeoutMs) {
      try {
        const health = await call(healthPath, stringField(workflowService), timeoutMs);
        if (health.code === 0) {
          return health.body.equals(servingAnswer) ? undefined : 'it does not serve yet, or any more';
        }
        if (!refusingCodes.has(health.code)) return describe(health);
        // A managed service may refuse to tell its health; it answers this call.
        const info = await call(infoPath, Buffer.alloc(0), timeoutMs);
        return info.code === 0 ? undefined : describe(info);
      } catch (error) {
        return (error as Error).message;
      }
    },
    close: () => session?.destroy(),
  };
}

/** A failed call may have its status in the headers alone. */
function readAnswer(headers: IncomingHttpHeaders, trailers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const { 'grpc-status': status, 'grpc-message': message } = { ...headers, ...trailers };
  return {
    code: status === undefined ? unknownCode : Number(status),
    message: typeof message === 'string' ? message : `HTTP status ${String(headers[':status'])}`,
    body: bytes.subarray(frameHeadBytes),
  };
}

function describe({ code, message }: Answer): string {
  return `gRPC status ${code}: ${message}`;
}

/** A string as field 1 of a protobuf message. */
function stringField(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(0x0a, bytes.length), bytes]);
}

/** gRPC's frame: a flag byte (not compressed) and the length. */
function frame(message: Buffer): Buffer {
  const head = Buffer.alloc(frameHeadBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
