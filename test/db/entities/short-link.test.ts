import { expect, test } from 'vitest';
import { ShortLink } from '#db/entities/links/links.ts';

const now = new Date('2026-11-02T12:00:00.000Z');

/** A link as the entity manager makes it from a row: without a call of the constructor. */
const link = (): ShortLink =>
  Object.assign(Object.create(ShortLink.prototype) as ShortLink, {
    isActive: true,
    updatedAt: new Date('2026-11-01T12:00:00.000Z'),
  });

test('a change sets the fields and moves the version on, also twice in one millisecond', () => {
  const changed = link();
  changed.change({ title: 'Spring', isArchived: true }, now);
  expect(changed).toMatchObject({ title: 'Spring', isArchived: true, updatedAt: now });
  changed.change({ isArchived: false }, now);
  expect(changed).toMatchObject({ isArchived: false, updatedAt: new Date(now.getTime() + 1) });
});

test('a link that is not taken down cannot be given back', () => {
  expect(() => link().endTakeDown(now)).toThrow(expect.objectContaining({ code: 'CONFLICT' }) as Error);
});
