// @module-tag process
import { expect, it } from 'vitest';
import { loadedModules } from '#test/support/loaded-modules.ts';

it('the edge loads no ORM, and no client of ClickHouse where none is set', () => {
  const urls = loadedModules('start/edge.ts');
  expect(urls.some((url) => url.endsWith('/start/edge.ts'))).toBe(true);
  expect(urls.filter((url) => /\/(?:@mikro-orm|kysely|@clickhouse)\/|\/db\/entities\//.test(url))).toEqual([]);
});
