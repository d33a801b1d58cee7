import type { IncomingMessage } from 'node:http';

const maxBytes = 4_096;
const type = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Reads the field `password` of a form that is being sent; null where it is no form, too large, or given up. How long that
 * may take is the server's to say.
 */
export async function readPassword(request: IncomingMessage): Promise<string | null> {
  if (!type.test(request.headers['content-type'] ?? '')) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // What is too large is answered all the same, so the connection must live.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8')).get('password');
}
