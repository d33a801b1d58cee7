// @module-tag process
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('the edge loads no ORM', () => {
  const code = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    await import('./start/edge.ts');
    console.log(JSON.stringify(urls));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
  const urls = JSON.parse(output) as string[];
  expect(urls.some((url) => url.endsWith('/start/edge.ts'))).toBe(true);
  expect(urls.filter((url) => /\/(?:@mikro-orm|kysely)\/|\/db\/entities\//.test(url))).toEqual([]);
});
