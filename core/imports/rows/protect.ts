import type { Issue } from '#core/errors/errors.ts';
import { formats, type ImportFormat } from '#core/imports/formats.ts';
import {
  archivedNames,
  clickNames,
  isMarked,
  offNames,
  passwordNames,
  readStatus,
  statusNames,
} from '#core/imports/protection.ts';
import { toCount } from './cells.ts';
import type { Row } from './row.ts';

/** The tag of a link that was archived where archived links redirect. */
export const archivedTag = 'archived';

/** Takes over what protects, limits or turns off a link; what no field can hold becomes a problem. */
export function protect(
  format: ImportFormat,
  { text, columnOf }: Row,
  { body, problems }: { body: Record<string, unknown>; problems: Issue[] },
): void {
  for (const name of passwordNames)
    if (isMarked(text(name)))
      problems.push({
        path: columnOf(name),
        message: 'a password or secret is not imported, and without it this link would stand open; make it anew',
      });
  for (const name of offNames) if (isMarked(text(name))) body.isActive = false;
  let isArchived = archivedNames.map((name) => isMarked(text(name))).includes(true);
  const words = new Set<ReturnType<typeof readStatus>>();
  for (const name of statusNames) {
    const status = text(name);
    if (status === undefined) continue;
    const meaning = readStatus(status);
    words.add(meaning);
    if (meaning === undefined)
      problems.push({
        path: columnOf(name),
        message:
          'is not understood, and may mean that this link is turned off; leave the column out to import it active',
      });
  }
  if (words.has('off')) body.isActive = false;
  if (words.has('archived')) isArchived = true;
  if (formats[format].archivedRedirects) {
    delete body.isArchived;
    if (isArchived) body.tags = [...new Set([...((body.tags as string[] | undefined) ?? []), archivedTag])];
  } else if (isArchived && typeof body.isArchived !== 'string') body.isArchived = true;
  if (typeof body.maxClicks !== 'number') return;
  let most = 0;
  for (const name of clickNames) {
    const clicks = toCount(text(name)) ?? 0;
    if (typeof clicks === 'number') most = Math.max(most, clicks);
    else
      problems.push({
        path: columnOf(name),
        message: 'is no number of clicks, and how many of maxClicks are left is unknown; write it like 1234',
      });
  }
  // A cap counts the visits that the link had at the other service.
  if (most < body.maxClicks) body.maxClicks -= most;
  else body.isActive = false;
}
