import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type ClickColumn, clickColumns } from '#core/clicks/click.ts';
import type { TestEdge } from './edge.ts';

/** Whose clicks a test makes. */
export type ClickOwner = Pick<TestEdge, 'organization' | 'domain'> & { linkId: string };

/** A click as a line of a journal. `changes` are values in the text format of COPY; null: none. */
export function clickLine(owner: ClickOwner, changes: Partial<Record<ClickColumn, string | null>> = {}): string {
  const values: Partial<Record<ClickColumn, string | null>> = {
    id: uuidv7(),
    clicked_at: new Date().toISOString(),
    link_id: owner.linkId,
    visitor: `\\\\x${randomBytes(16).toString('hex')}`,
    device: 'desktop',
    is_qr_code: 'f',
    organization_id: owner.organization.id,
    domain_id: owner.domain.id,
    folder_id: owner.organization.folderId,
    tag_ids: '{}',
    destination: 'https://example.com/',
    ...changes,
  };
  return `${clickColumns.map((column) => values[column] ?? '\\N').join('\t')}\n`;
}
