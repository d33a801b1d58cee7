import { type RawBuilder, sql } from 'kysely';

/** Kysely: any of some hexadecimal hashes, as one value. */
export function anyHash(urlHashes: readonly string[]): RawBuilder<Buffer> {
  return sql<Buffer>`any(${urlHashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])`;
}

/** Kysely: any of some ids, as one value. */
export function anyId(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${ids}::uuid[])`;
}
