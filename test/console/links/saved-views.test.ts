import { expect, test } from 'vitest';
import { isShown, mostViews, withView } from '#console/links/list/saved-views.ts';

test('a view of the same name takes the place of the one before, and the oldest go first', () => {
  const views = Array.from({ length: mostViews }, (_value, index) => ({ name: `View ${index}`, search: {} }));
  expect(withView(views, { name: 'view 3', search: { q: 'a' } })).toHaveLength(mostViews);
  const more = withView(views, { name: 'One more', search: {} });
  expect([more.length, more[0]?.name, more.at(-1)?.name]).toEqual([mostViews, 'View 1', 'One more']);
});

test('a view is shown where the address has its filters, on whichever page', () => {
  const view = { name: 'Spring', search: { tag: ['spring'], sort: '-clicks' } } as const;
  expect(isShown(view, { sort: '-clicks', tag: ['spring'], page: 3 })).toBe(true);
  expect(isShown(view, { tag: ['spring'] })).toBe(false);
});
