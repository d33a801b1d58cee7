import { hash, randomBytes } from 'node:crypto';
import { visitorKeyBytes as keyBytes } from '#db/clicks/visitor-keys.ts';
import type { VisitorKeys } from './keys.ts';

/** Hash of a visitor: 32 hex digits. */
type VisitorHash = (organizationId: string, address: string, userAgent: string, nowMs: number) => string;

const hashBytes = 16;
const maxMessageBytes = 4_096;
const maxAgentLength = 1_024;

/** A random hash, for a visitor who must not or cannot be recognized: another one at each visit. */
export function anonymousVisitor(): string {
  return randomBytes(hashBytes).toString('hex');
}

/**
 * SHA-256 of a key, organization, address and user agent, cut to 16 bytes. Each calendar month (UTC) has its own key, so a
 * visitor cannot be recognized across organizations or months (5.2). A truncated digest prevents length extension, so the
 * key in front is as good as HMAC (the AMAC of Bellare, Bernstein and Tessaro) at half the cost. While the month's key is
 * unknown, each visit counts as another visitor.
 */
export function createVisitorHash(keys: Pick<VisitorKeys, 'find' | 'version'>): VisitorHash {
  const message = Buffer.alloc(keyBytes + maxMessageBytes);
  let monthStartMs = Number.POSITIVE_INFINITY;
  let monthEndMs = Number.NEGATIVE_INFINITY;
  let version = -1;

  function turnMonth(nowMs: number): boolean {
    const now = new Date(nowMs);
    // The last month's key must not stay in memory.
    message.fill(0, 0, keyBytes);
    monthEndMs = Number.NEGATIVE_INFINITY;
    const key = keys.find(nowMs);
    if (key === undefined) return false;
    monthStartMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
    monthEndMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    version = keys.version;
    message.set(key);
    return true;
  }

  return (organizationId, address, userAgent, nowMs) => {
    const isTurned = nowMs < monthStartMs || nowMs >= monthEndMs || version !== keys.version;
    if (isTurned && !turnMonth(nowMs)) return anonymousVisitor();
    const agent = userAgent.length > maxAgentLength ? userAgent.slice(0, maxAgentLength) : userAgent;
    const length = keyBytes + message.write(`${organizationId}\n${address}\n${agent}`, keyBytes);
    return hash('sha256', message.subarray(0, length), 'hex').slice(0, hashBytes * 2);
  };
}
