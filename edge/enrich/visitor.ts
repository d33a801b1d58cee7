import { hash } from 'node:crypto';
import { deriveKey } from '../../core/derive-key.ts';

/** Hashes who visits: 32 hex digits. */
export type VisitorHash = (organizationId: string, address: string, userAgent: string, nowMs: number) => string;

const blockBytes = 64;
const digestBytes = 32;
const maxMessageBytes = 4_096;
const maxAgentLength = 1_024;

/**
 * HMAC-SHA256, cut to 16 bytes, of organization, address and user agent, under a key that is derived anew for each calendar
 * month (UTC): visitors of different organizations and months cannot be told to be the same (5.2).
 */
export function createVisitorHash(secretKey: string): VisitorHash {
  // HMAC as RFC 2104 has it, on one-shot hashes: a fifth of the cost of a Hmac object per click.
  const inner = Buffer.alloc(blockBytes + maxMessageBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  let monthStartMs = Number.POSITIVE_INFINITY;
  let monthEndMs = Number.NEGATIVE_INFINITY;

  function turnMonth(nowMs: number): void {
    const now = new Date(nowMs);
    monthStartMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    const purpose = `visitor ${now.toISOString().slice(0, 7)}`;
    const key = deriveKey(secretKey, purpose, digestBytes);
    for (let index = 0; index < blockBytes; index += 1) {
      const byte = key[index] ?? 0;
      inner[index] = byte ^ 0x36;
      outer[index] = byte ^ 0x5c;
    }
  }

  return (organizationId, address, userAgent, nowMs) => {
    if (nowMs < monthStartMs || nowMs >= monthEndMs) turnMonth(nowMs);
    const agent = userAgent.length > maxAgentLength ? userAgent.slice(0, maxAgentLength) : userAgent;
    const length = blockBytes + inner.write(`${organizationId}\n${address}\n${agent}`, blockBytes);
    outer.set(hash('sha256', inner.subarray(0, length), 'buffer'), blockBytes);
    return hash('sha256', outer, 'hex').slice(0, 32);
  };
}
