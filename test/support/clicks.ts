import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type ClickColumn, clickColumns } from '../../core/click.ts';
import type { TestEdge } from './edge.ts';

/** Whose clicks a test makes. */
export type ClickOwner = Pick<TestEdge, 'organization' | 'domain'> & { linkId: string };

/** A click as the values of a journal's line, by column. */
export function clickValues(
  owner: ClickOwner,
  changes: Partial<Record<ClickColumn, unknown>> = {},
): Record<ClickColumn, unknown> {
  return {
    ...(Object.fromEntries(clickColumns.map((column) => [column, null])) as Record<ClickColumn, unknown>),
    id: uuidv7(),
    clicked_at: Date.now(),
    visitor: randomBytes(16).toString('hex'),
    device: 'desktop',
    is_qr_code: false,
    organization_id: owner.organization.id,
    link_id: owner.linkId,
    domain_id: owner.domain.id,
    folder_id: owner.organization.folderId,
    tag_ids: [],
    destination: 'https://example.com/',
    ...changes,
  };
}

/** A click as a line of a journal. */
export function clickLine(owner: ClickOwner, changes: Partial<Record<ClickColumn, unknown>> = {}): string {
  const values = clickValues(owner, changes);
  return `${JSON.stringify(clickColumns.map((column) => values[column]))}\n`;
}
