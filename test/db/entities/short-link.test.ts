import { describe, expect, it } from 'vitest';
import type { AppError } from '#core/errors/errors.ts';
import { ShortLink } from '#db/entities/links/links.ts';

const created = new Date('2026-11-01T12:00:00.000Z');
const now = new Date('2026-11-02T12:00:00.000Z');
const past = new Date('2026-11-02T11:00:00.000Z');
const future = new Date('2026-11-03T12:00:00.000Z');

/** A link as the entity manager makes it from a row: without a call of the constructor. */
function link(fields: object = {}): ShortLink {
  const row = { slug: 'spring', domain: { id: 'd1' }, isActive: true, isArchived: false, updatedAt: created };
  return Object.assign(Object.create(ShortLink.prototype) as ShortLink, row, fields);
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as AppError).code;
  }
}

describe('change', () => {
  it('sets the fields and moves the version on, also twice in one millisecond', () => {
    const changed = link();
    changed.change({ title: 'Spring', isArchived: true }, now);
    expect(changed).toMatchObject({ title: 'Spring', isArchived: true, updatedAt: now });
    changed.change({ isArchived: false }, now);
    expect(changed).toMatchObject({ isArchived: false, updatedAt: new Date(now.getTime() + 1) });
  });

  it('refuses an end that has passed, and keeps one that has passed already', () => {
    const ended = link({ expiresAt: past });
    expect(codeOf(() => ended.change({ expiresAt: new Date(now.getTime() - 1) }, now))).toBe('VALIDATION_ERROR');
    expect(ended).toMatchObject({ expiresAt: past, updatedAt: created });
    ended.change({ expiresAt: new Date(past) }, now);
    ended.change({ expiresAt: future }, now);
    ended.change({ expiresAt: null }, now);
    expect(ended.expiresAt).toBeNull();
  });

  it('refuses to turn on a link that staff took down, and changes its other fields', () => {
    const down = link();
    down.takeDown('phishing', now);
    expect(codeOf(() => down.change({ isActive: true }, now))).toBe('FORBIDDEN');
    down.change({ isActive: false, title: 'Other' }, now);
    expect(down).toMatchObject({ isActive: false, title: 'Other' });
  });
});

describe('isElsewhere', () => {
  it('another domain or another slug is another address', () => {
    expect(link().isElsewhere('d1', 'spring')).toBe(false);
    expect(link().isElsewhere('d2', 'spring')).toBe(true);
    expect(link().isElsewhere('d1', 'autumn')).toBe(true);
  });
});

describe('takeDown and endTakeDown', () => {
  it.each([true, false])('a link that was active = %s is so again after its take-down', (isActive) => {
    const down = link({ isActive });
    down.takeDown('phishing', now);
    down.isActive = false;
    expect(down).toMatchObject({ takenDownAt: now, takenDownReason: 'phishing' });
    expect(down.endTakeDown(future)).toBe(isActive);
    expect(down).toMatchObject({ takenDownAt: null, takenDownReason: null, activeBeforeTakeDown: null });
  });

  it('a second take-down gives another reason and changes nothing else', () => {
    const down = link();
    down.takeDown('phishing', now);
    down.isActive = false;
    down.takeDown('malware', future);
    expect(down).toMatchObject({ takenDownAt: now, takenDownReason: 'malware', activeBeforeTakeDown: true });
  });

  it('a link that is not taken down cannot be given back', () => {
    expect(codeOf(() => link().endTakeDown(now))).toBe('CONFLICT');
  });
});

describe('reportEnd', () => {
  it('marks the present end alone', () => {
    const ended = link({ expiresAt: past, reportedExpiry: null });
    expect(ended.reportEnd()).toEqual(past);
    expect(ended.reportedExpiry).toEqual(past);
    expect(ended.updatedAt).toEqual(created);
  });
});

describe('delete', () => {
  it('keeps the version: what was deleted is not a change', () => {
    const deleted = link();
    deleted.delete(now);
    expect(deleted).toMatchObject({ deletedAt: now, updatedAt: created });
  });
});
