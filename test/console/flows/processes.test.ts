// @module-tag process
// @module-tag nightly

import { afterAll, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { isNight } from '#test/support/night.ts';
import { writeMultipart } from '#test/support/upload.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// While a test holds the gate, links of these slugs can be neither made nor deleted.
const gate = 7_290_501;
const gated = `
  create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${gate}); return new; end $$;
  create trigger wait_at_gate before insert or update of deleted_at on short_links
    for each row when (new.slug like 'slow-%') execute function wait_at_gate();`;

describeFlows('processes in the console when everything dies', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  afterAll(async () => {
    await stack.heal();
    await stack.db.query('drop function if exists wait_at_gate cascade');
  });

  test(
    'an import, an undo and a delete go on by themselves after API, worker and Temporal were away, and the page says so',
    { timeout: 400_000 },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/ERR_CONNECTION|Failed to load resource/);
      const { page, call, organization } = visitor;
      const rows = (name: string, count: number): string =>
        ['keyword,url', ...Array.from({ length: count }, (_, n) => `slow-${name}-${n},https://example.com/${n}`)].join(
          '\n',
        );
      const importFile = async (name: string, count: number): Promise<string> => {
        const { payload, headers } = writeMultipart([{ filename: `${name}.csv`, content: rows(name, count) }]);
        const answer = await fetch(`${stack.url}/short-link/import`, {
          method: 'POST',
          headers: { ...headers, 'x-api-key': organization.key },
          body: new Uint8Array(payload),
        });
        return ((await answer.json()) as { id: string }).id;
      };
      const stateOf = async (id: string): Promise<string> => (await call('GET', `/short-link/import/${id}`)).state;
      const undone = await importFile('undone', 100);
      const deleted = await call('POST', '/short-link', {
        destination: { type: 'link', value: 'https://example.com/' },
        slug: 'slow-deleted',
      });
      await eventually(
        () => stateOf(undone),
        (state) => state === 'completed',
      );
      await stack.db.query(gated);
      const keeper = await stack.db.pool.connect();
      await keeper.query('select pg_advisory_lock($1)', [gate]);
      await using held = new AsyncDisposableStack();
      held.defer(async () => {
        await keeper.query('select pg_advisory_unlock($1)', [gate]);
        keeper.release();
      });

      const made = await importFile('made', 250);
      await call('POST', `/short-link/import/${undone}/undo`);
      await visitor.open('/activity');
      const running = page.getByRole('region', { name: 'What runs now' });
      await running.getByText('Links are made from the file').waitFor();
      await running.getByText('Links of the import are removed').waitFor();
      await expectAccessible(visitor, 'activity-running');

      await stack.killWorker();
      stack.temporal.cut();
      await held.disposeAsync();
      await call('DELETE', `/short-link/${deleted.id}`);
      // The undo deletes links too, and may not be done with them.
      await running.getByText('Deleted links and their clicks are removed').first().waitFor();
      await stack.killApi();
      await page.getByText('does not answer', { exact: false }).first().waitFor();
      await stack.startApi();
      await page.getByText('does not answer', { exact: false }).first().waitFor({ state: 'detached' });
      // Temporal and the worker are still away: what runs is told by its rows.
      await running.getByText('Links are made from the file').waitFor();
      expect(await stateOf(made)).not.toBe('completed');

      stack.temporal.restore();
      await stack.startWorker();
      for (const done of ['Links are made from the file', 'Links of the import are removed'])
        await running.getByText(done).waitFor({ state: 'detached' });
      // A minute passes before clicks of deleted links are removed.
      if (isNight) await page.getByText('Nothing runs right now.').waitFor();
      expect(await call('GET', `/short-link/import/${made}`)).toMatchObject({
        state: 'completed',
        imported: 250,
        failed: 0,
      });
      expect(await call('GET', `/short-link/import/${undone}`)).toMatchObject({
        state: 'undone',
        undo: { removed: 100, kept: 0, left: 0 },
      });
      expect((await call('GET', '/short-link/count')).count).toBe(250);
    },
  );
});
