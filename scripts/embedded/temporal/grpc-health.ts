import { connect } from 'node:http2';

const path = '/grpc.health.v1.Health/Check';
const serving = 1;

/**
 * Checks the health of a gRPC service on loopback (gRPC health checking protocol), without a gRPC library, which takes longer to
 * load than the server to start.
 * @returns whether it serves within `timeoutMs`; false where no server listens.
 */
export function isServing(port: number, service: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const finish = (result: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    session.on('error', () => finish(false));
    const request = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => finish(false));
    request.on('end', () => {
      const [tag, status] = Buffer.concat(chunks).subarray(5);
      finish(tag === 0x08 && status === serving);
    });
    request.end(frame(service));
  });
}

/** A HealthCheckRequest in a gRPC frame: field 1 of type string, behind a flag byte and the length. */
function frame(service: string): Buffer {
  const name = Buffer.from(service);
  const message = Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
