// @module-tag process

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('imports in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const fileOf = (name: string, rows: number, isBroken: (row: number) => boolean = () => false): string =>
    [
      'link,long_url,title,tags',
      ...Array.from({ length: rows }, (_, index) => {
        const address = isBroken(index + 1) ? 'nowhere' : `https://example.com/${name}/${index + 1}`;
        return `https://bit.ly/${name}-${index + 1},${address},Sale ${index + 1},spring|print`;
      }),
    ].join('\n');
  const countOf = async ({ call }: Visitor): Promise<number> => (await call('GET', '/short-link/count')).count;
  const path = ({ page }: Visitor): string => new URL(page.url()).pathname.replace('/console', '');

  /** Drops a file, starts the import, and waits for its end. */
  async function importFile(visitor: Visitor, name: string, text: string): Promise<void> {
    await visitor.drop(name, text);
    await visitor.click('button', 'Start');
    await visitor.page.getByRole('button', { name: 'Undo' }).waitFor();
  }

  test('a file is dropped on the links and imported by 2 actions, with its failing rows told before', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    await visitor.drop(
      'bitly.csv',
      fileOf('job', 40, (row) => row % 10 === 3),
    );
    await page.getByText('36 rows become links').waitFor();
    await page.getByText('4 rows will fail').waitFor();
    await page.getByText('rows 3, 13, 23, 33').waitFor();
    await page.getByText('The first 20 of 40 rows as links').waitFor();
    await page.getByText('https://example.com/job/1', { exact: true }).last().waitFor();
    expect(await countOf(visitor)).toBe(1);
    await expectAccessible(visitor, 'import-preview');

    await visitor.press('Enter');
    await page.getByRole('button', { name: 'Imported 36' }).waitFor();
    await page.getByRole('heading', { name: 'bitly.csv' }).waitFor();
    await page.getByText('Done, 4 rows failed').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(visitor.actions()).toBe(2);
    expect(await countOf(visitor)).toBe(37);
    await expectAccessible(visitor, 'import-done');

    // The failed rows as a file, mended and dropped once more.
    await visitor.click('button', 'Failed 4');
    await page.getByRole('button', { name: 'Failed 4', pressed: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?result=failed');
    await page.reload();
    await page.getByRole('button', { name: 'Failed 4', pressed: true }).waitFor();
    await page.getByText('Destination: must be an http or https URL').first().waitFor();
    expect(await page.getByRole('main').getByRole('listitem').count()).toBe(4);
    const downloading = page.waitForEvent('download');
    await visitor.click('button', 'Fix and try these again');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('bitly-failed.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toBe('link,long_url,title,tags,problem');
    expect(lines[1]).toMatch(/^https:\/\/bit\.ly\/job-3,nowhere,Sale 3,spring\|print,destination\.value: must be/);
    expect(lines).toHaveLength(5);
    const mended = lines.join('\n').replaceAll('nowhere', 'https://example.com/mended');
    await visitor.drop('mended.csv', mended);
    await page.getByText('4 rows become links').waitFor();
    await visitor.click('button', 'Start');
    await page.getByText(/^Columns with values .*: problem/).waitFor();
    await page.getByRole('button', { name: 'Imported 4' }).waitFor();
    expect(await countOf(visitor)).toBe(41);
  });

  test(
    'failed rows come from the file that is chosen once more, where the browser has forgotten it',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const text = fileOf('again', 6, (row) => row === 2);
      await visitor.open('/imports');
      await importFile(visitor, 'links.csv', text);
      await page.evaluate(() => indexedDB.deleteDatabase('waymark-imports').readyState);
      await page.reload();
      await visitor.click('button', 'Fix and try these again');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('which this browser does not have any more').waitFor();
      await expectAccessible(visitor, 'import-fix');
      const pick = (content: string): Promise<void> =>
        dialog
          .locator('input[type=file]')
          .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
      await pick(fileOf('other', 9));
      await dialog.getByText('This is another file: it has 9 rows, the imported one had 6.').waitFor();
      const downloading = page.waitForEvent('download');
      await pick(text);
      const failed = await readFile(await (await downloading).path(), 'utf8');
      expect(failed.split('\r\n')[1]).toMatch(/again-2,nowhere,/);
      await dialog.waitFor({ state: 'detached' });

      const keptFiles = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
      await eventually(keptFiles, (names) => names.length === 1);
      // Of calls that are under way as the session ends.
      visitor.expectErrors(/401/);
      await visitor.click('button', 'Your account');
      await visitor.click('menuitem', 'Sign out');
      await page.getByLabel('Password', { exact: true }).waitFor();
      await eventually(keptFiles, (names) => names.length === 0);
    },
  );

  test(
    'an import is undone by 2 actions, keeps the link that was edited, and removes it when asked',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, call } = visitor;
      await visitor.open('/imports');
      await page.getByText('No import yet').waitFor();
      await expectAccessible(visitor, 'imports-empty');
      await importFile(visitor, 'bitly.csv', fileOf('undo', 12));
      const [edited] = (await call('GET', '/short-link/list?search=undo-7')).data;
      await call('PATCH', `/short-link/${edited.id}`, { title: 'Printed on the flyer' });

      visitor.restart();
      await visitor.click('button', 'Undo');
      await page.getByText('It made 12 links.').waitFor();
      await expectAccessible(visitor, 'import-undo');
      await visitor.click('button', 'Remove the links');
      await page.getByText('11 links are removed').waitFor();
      await page.getByText('1 link is kept, because it was clicked or edited').waitFor();
      expect(visitor.actions()).toBe(2);
      await page.getByRole('button', { name: 'Remove these too' }).waitFor();
      await expectAccessible(visitor, 'import-undone');
      expect(await countOf(visitor)).toBe(1);

      await visitor.click('button', 'Remove these too');
      await visitor.click('button', 'Remove the links');
      await page.getByText('12 links are removed').waitFor();
      await page.getByText('The link is deleted or archived.').nth(11).waitFor();
      expect(await countOf(visitor)).toBe(0);
      await visitor.click('link', 'Imports');
      await page.getByText('12 links removed').waitFor();
      await expectAccessible(visitor, 'imports');
    },
  );

  test(
    'an import that runs shows its progress, goes on without the page, and is cancelled',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      // Each row takes long enough for a person, however fast the machine is.
      await stack.db.query(`create function wait_for_slow_rows() returns trigger language plpgsql as
      $$ begin perform pg_sleep(0.02); return new; end $$`);
      await stack.db.query(`create trigger wait_for_slow_rows before insert on short_links
      for each row when (new.slug like 'slow-%') execute function wait_for_slow_rows()`);
      try {
        await visitor.open('/links');
        await visitor.drop('bitly.csv', fileOf('slow', 5_000));
        await visitor.click('button', 'Start');
        await page.getByText(/[\d,]+ of 5,000 rows · \d+ a second · about \d+ (?:seconds?|minutes?) left/).waitFor();
        // From the second page of rows on, the page grows no more while axe looks at it.
        await page.getByRole('button', { name: 'Next', exact: true }).waitFor();
        await expectAccessible(visitor, 'import-running');
        await visitor.click('link', 'Imports');
        await page.getByText('Running', { exact: true }).waitFor();
        await page.getByRole('progressbar', { name: 'Progress of the import' }).waitFor();
        await expectAccessible(visitor, 'imports-running');
        await visitor.click('link', 'bitly.csv');
        await visitor.click('button', 'Cancel the import');
        await page.getByText('The rows that are left are dropped.').waitFor();
        await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the import' }).click();
        await page.getByText('Cancelled', { exact: true }).waitFor();
        await page.getByText(/It ended before [\d,]+ rows, which became no links\./).waitFor();
        const [cancelled] = (await visitor.call('GET', '/short-link/import/list')).data;
        expect(cancelled).toMatchObject({ state: 'cancelled', total: 5_000 });
        expect(await countOf(visitor)).toBe(cancelled.imported);
      } finally {
        await stack.db.query('drop function wait_for_slow_rows cascade');
      }
    },
  );

  test(
    'columns that no format knows are mapped, and the file is sent with other names of them',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const folder = await visitor.call('POST', '/folder', { name: 'Moved' });
      await visitor.open('/imports/new');
      await page.locator('input[type=file]').setInputFiles({
        name: 'table.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          'Web;Name of it;Short;Who\nhttps://example.com/a;First;map-a;Ada\nhttps://example.com/b;Second;map-b;Bob\n',
        ),
      });
      await page.getByText('No column holds the address that links lead to.').waitFor();
      await expectAccessible(visitor, 'import-columns');
      const choose = async (menu: string, choice: string): Promise<void> => {
        await visitor.click('button', new RegExp(`${menu}$`));
        await page.getByRole('option', { name: choice, exact: true }).click();
      };
      await choose('Read Web as', 'Destination');
      await choose('Read Name of it as', 'Title');
      await choose('Read Short as', 'Slug');
      await choose('Folder', 'Moved');
      await choose('Domain', new URL(stack.edgeUrl).host);
      await page.getByText('2 rows become links').waitFor();
      await page.getByText('First', { exact: true }).last().waitFor();
      await expectAccessible(visitor, 'import-mapped');
      await visitor.click('button', 'Start');
      await page.getByRole('button', { name: 'Imported 2' }).waitFor();
      const { data } = await visitor.call('GET', `/short-link/list?folderIds=${folder.id}`);
      expect(data.map(({ slug, title }: Record<string, unknown>) => [slug, title]).toSorted()).toEqual([
        ['map-a', 'First'],
        ['map-b', 'Second'],
      ]);
    },
  );

  test(
    'a file of 100,000 rows is checked while the page goes on, and one that is no text is refused',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit({ language: 'de-DE' });
      const { page } = visitor;
      await visitor.open('/imports/new');
      await page.getByText('Eine Datei mit Links hier ablegen').waitFor();
      await expectAccessible(visitor, 'import-new-de');
      await visitor.drop(
        'big.csv',
        fileOf('big', 100_000, (row) => row === 99_999),
      );
      await page.getByText('99.999 Zeilen werden Links').waitFor();
      await page.getByText('Zeile 99.999').waitFor();
      await expectAccessible(visitor, 'import-preview-de');
      await visitor.drop('picture.csv', 'slug,url\n\u0000\u0000');
      await page.getByText('Diese Datei lässt sich nicht importieren: Muss eine CSV-Datei sein').waitFor();
      expect(path(visitor)).toBe('/imports/new');
      expect((await visitor.call('GET', '/short-link/import/list')).count).toBe(0);
    },
  );

  test('rows beyond the quota of the plan are told before, and fail with the reason', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ plan: 'free' });
    const { page } = visitor;
    await visitor.open('/imports');
    await visitor.drop('bitly.csv', fileOf('quota', 12));
    await page.getByText('Your plan allows 10 links, and 10 more fit: the rows after them will fail.').waitFor();
    await visitor.click('button', 'Start');
    await visitor.click('button', 'Failed 2');
    const reason = page.getByText('Your plan allows 10 short links.');
    await reason.nth(1).waitFor();
    expect(await reason.count()).toBe(2);
    await page.getByRole('button', { name: 'Imported 10' }).waitFor();
  });
});
