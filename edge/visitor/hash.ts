import { hash, randomBytes } from 'node:crypto';
import type { Month } from '#db/clicks/visitor-keys.ts';
import type { VisitorKeys } from './keys.ts';

/** Hash of a visitor: 32 hex digits. */
type VisitorHash = (organizationId: string, address: string, userAgent: string, month: Month) => string;

const hashBytes = 16;
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
export function createVisitorHash(keys: Pick<VisitorKeys, 'find'>): VisitorHash {
  return (organizationId, address, userAgent, month) => {
    const key = keys.find(month);
    if (key === undefined) return anonymousVisitor();
    const text = Buffer.from(`${organizationId}\n${address}\n${userAgent.slice(0, maxAgentLength)}`);
    return hash('sha256', Buffer.concat([key, text]), 'hex').slice(0, hashBytes * 2);
  };
}
