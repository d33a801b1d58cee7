import { isForeignKeyViolation } from '#db/connection/errors.ts';
import type { Database } from '#db/connection/database.ts';
import { removeQrCodes, removeVerdicts } from './links.ts';

/** Removes a deleted domain with its QR template. @returns false while rows of its links exist. */
export async function removeDomain(db: Database, id: string): Promise<boolean> {
  try {
    await db.transaction(async (tx) => {
      const { rows } = await tx.query<{ qrCodeId: string | null; hash: Buffer | null }>(
        `delete from domains where id = $1 and deleted_at is not null
         returning qr_code_id as "qrCodeId", hash_of_url(fallback_url) as hash`,
        [id],
      );
      await removeQrCodes(
        tx,
        rows.flatMap(({ qrCodeId }) => qrCodeId ?? []),
      );
      await removeVerdicts(
        tx,
        rows.flatMap(({ hash }) => hash ?? []),
      );
    });
    return true;
  } catch (error) {
    // Links that were deleted before the domain have deletions of their own.
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
}
