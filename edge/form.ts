import type { VisitRequest } from './http/exchange.ts';

const type = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Reads the fields of a form; null where the body is no form, is too large, or breaks off. The server's request
 * timeout bounds the time.
 */
export async function readForm(request: VisitRequest, maxBytes = 4_096): Promise<URLSearchParams | null> {
  if (request.iterator === undefined || !type.test(request.headers['content-type'] ?? '')) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // The connection must survive the early return: a body that is too large gets an answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
