// @module-tag process

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// The most frequent jobs in a real browser, with the actions that each takes.

describeFlows('jobs in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (value: string, rest: object = {}) => ({ destination: { type: 'link', value }, ...rest });

  test('from sign-in to a counted click: the link is copied, its code drawn, its first click counted', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await page.context().clearCookies();
    visitor.expectErrors(/401/);
    await visitor.open(`/sign-in?email=${visitor.person.email}`);
    await visitor.focused('Password');
    await visitor.paste(testPassword);
    await visitor.press('Enter');
    await visitor.focused('Paste an address');
    await visitor.paste('https://example.com/spring');
    await visitor.press('Enter');
    await page.getByText('is made and copied').waitFor();
    const shortUrl = await visitor.clipboard();
    expect(shortUrl).toMatch(new RegExp(`^${stack.edgeUrl}/\\w{7}$`));
    expect(visitor.actions()).toBe(4);
    await page.locator(`img[alt="QR code: ${shortUrl}"]`).waitFor();
    await fetch(shortUrl, { redirect: 'manual', headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' } });
    await page.getByText('1 click', { exact: true }).waitFor();
  });

  test('an organization without links has one field', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    await expectAccessible(visitor, 'first-minute');
    expect(await visitor.page.getByRole('textbox').count()).toBe(1);
  });

  test('cards say what comes next until it is done: domain, import, key and webhook', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const cards = page.getByRole('region', { name: 'What next' }).getByRole('link');
    const titles = (): Promise<string[]> => cards.locator('strong').allTextContents();
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    expect(await cards.count()).toBe(0);
    await visitor.paste('https://example.com/spring');
    await visitor.press('Enter');
    await cards.first().waitFor();
    // The organization has the API key with which this test calls.
    expect(await titles()).toEqual(['Use your own domain', 'Bring your links along', 'Hear of clicks']);

    await visitor.call('POST', '/domain', { domain: `next-${Date.now()}.example.com` });
    await visitor.call('POST', '/webhook', { url: 'https://hooks.example.com/', events: ['link.created'] });
    await stack.db.query('delete from api_keys where organization_id = $1', [visitor.organization.id]);
    await visitor.open('/links');
    await cards.first().waitFor();
    expect(await titles()).toEqual(['Bring your links along', 'Call the API']);
    await expectAccessible(visitor, 'next-steps');

    await visitor.click('link', 'Call the API');
    await page.waitForURL('**/settings/keys');
    await page.goBack();
    await visitor.click('button', 'Do not show this again');
    // The cards appear once the page knows all of these.
    const answers = ['/domain', '/short-link/import', '/api-key', '/webhook'].map((path) =>
      page.waitForResponse((response) => new URL(response.url()).pathname === `${path}/list`),
    );
    await page.reload();
    await Promise.all([...answers, page.locator('[data-link]').first().waitFor()]);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await cards.count()).toBe(0);
  });

  test(
    'a copied address becomes a link on the clipboard by 2 actions, from any page',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const made = await visitor.call('POST', '/short-link', link('https://example.com/first'));
      await visitor.open(`/links/${made.id}`);
      await visitor.page.getByRole('heading', { level: 1 }).waitFor();
      await visitor.paste('https://example.com/pasted?utm_source=newsletter&page=2');
      await visitor.focused('Destination');
      await visitor.press('Enter');
      await visitor.page.getByText('is made and copied').waitFor();
      expect(visitor.actions()).toBe(2);
      const { data } = await visitor.call('GET', '/short-link/list');
      expect(data).toHaveLength(2);
      expect(data[0]).toMatchObject({
        destination: { value: 'https://example.com/pasted?page=2' },
        originUrl: await visitor.clipboard(),
      });
      expect(await visitor.call('GET', `/short-link/${data[0].id}`)).toMatchObject({ utmSource: 'newsletter' });
    },
  );

  test('a folder is made by Enter, and a refused save leads to the wrong field', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link', link('https://example.com/first'));
    await page.setViewportSize({ width: 1440, height: 600 });
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    await visitor.press('c');
    await visitor.focused('Destination');
    await visitor.type('https://example.com/autumn');
    await visitor.click('button', 'Limits');
    await page.getByLabel('Leads here afterwards').fill('example.com/over');
    await page.getByLabel('At most this many clicks').fill('many');
    await visitor.click('button', 'Organize');
    await page.getByRole('combobox', { name: 'Folder' }).fill('Autumn');
    await visitor.press('Enter');
    await page.getByText('Made the folder “Autumn”').waitFor();
    visitor.expectErrors(/400/);
    await visitor.press('Control+Enter');
    await visitor.focused('At most this many clicks');
    await expect
      .poll(() => page.locator('[aria-invalid="true"]').boundingBox())
      .toMatchObject({ y: expect.any(Number) });
    await page.keyboard.press('Control+a');
    await visitor.type('10');
    // The message goes with the correction, and the section stays open.
    await page.getByText('must be a whole number').waitFor({ state: 'detached' });
    await visitor.focused('At most this many clicks');
    await visitor.press('Control+Enter');
    await page.getByText('is made and copied').waitFor();
    const [made] = (await visitor.call('GET', '/short-link/list')).data;
    expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({
      folder: { name: 'Autumn' },
      expiredUrl: 'https://example.com/over',
      maxClicks: 10,
    });
  });

  test(
    'the menu of selected links is used by keys alone, and Escape leads back to its button',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const made = await visitor.call('POST', '/short-link', link('https://example.com/first', { isActive: false }));
      await visitor.open('/links');
      await page.locator(`[data-link="${made.id}"]`).getByRole('checkbox').focus();
      await visitor.press('Space');
      const more = page.getByRole('button', { name: 'More', exact: true }).last();
      await more.focus();
      await visitor.press('ArrowDown');
      await page.getByRole('menuitem', { name: 'Untag' }).and(page.locator(':focus')).waitFor();
      await visitor.press('Escape');
      await more.and(page.locator(':focus')).waitFor();
      expect(await page.getByRole('menuitem').count()).toBe(0);
      await visitor.press('Enter');
      await visitor.press('ArrowDown');
      await page.getByRole('menuitem', { name: 'Switch on' }).and(page.locator(':focus')).waitFor();
      await visitor.press('Enter');
      await page.getByText('1 link changed').waitFor();
      expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({ isActive: true });
    },
  );

  test('a link that does not exist has a page that says so', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/404/);
    for (const page of ['', '/edit', '/qr', '/history']) {
      await visitor.open(`/links/00000000-0000-7000-8000-000000000000${page}`);
      await visitor.page.getByRole('heading', { name: 'There is no such link, or it was deleted' }).waitFor();
    }
    await visitor.click('link', 'To the links');
    await visitor.page.waitForURL('**/console/links');
    expect(await visitor.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('a link is found and copied by 3 actions, from any page and in the list', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const wanted = await visitor.call(
      'POST',
      '/short-link',
      link('https://example.com/1', { slug: `summer-${Date.now()}` }),
    );
    await visitor.call('POST', '/short-link', link('https://example.com/2', { title: 'summer of others' }));
    await visitor.open(`/links/${wanted.id}/edit`);
    await visitor.focused('Destination');
    await visitor.press('Control+k');
    await visitor.type('summer-');
    await visitor.page.getByRole('option', { name: wanted.slug }).waitFor();
    await expectAccessible(visitor, 'palette');
    await visitor.press('Control+c');
    await visitor.page.getByText('Copied http').waitFor();
    expect(await visitor.clipboard()).toBe(wanted.originUrl);
    expect(visitor.actions()).toBe(3);

    await visitor.open('/links');
    await visitor.page.locator('[data-link]').first().waitFor();
    visitor.restart();
    await visitor.page.evaluate(() => navigator.clipboard.writeText(''));
    await visitor.press('/');
    await visitor.type(wanted.slug);
    await eventually(
      () => visitor.page.locator('[data-link]').count(),
      (rows) => rows === 1,
    );
    await visitor.press('Control+c');
    await eventually(
      () => visitor.clipboard(),
      (text) => text === wanted.originUrl,
    );
    expect(visitor.actions()).toBe(3);
  });

  test('the search has pages named like the text first, then links that begin so', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const slug = `stat-${Date.now()}`;
    await visitor.call('POST', '/short-link', link('https://example.com/1', { slug }));
    await visitor.call('POST', '/short-link', link('https://example.com/2', { title: slug }));
    await visitor.open('/links');
    await visitor.page.locator('[data-link]').first().waitFor();
    await visitor.press('Control+k');
    await visitor.type('stat');
    const options = visitor.page.getByRole('option');
    await eventually(
      () => options.count(),
      (count) => count >= 3,
    );
    const [first, second, third] = await options.allInnerTexts();
    expect(first).toContain('Statistics');
    expect(second).toContain(`/${slug}`);
    expect(third).toContain(slug);
    await visitor.press('Enter');
    await visitor.page.waitForURL('**/console/stats**');
  });

  test('a destination is changed by 3 actions on the row that has the focus', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const made = await visitor.call('POST', '/short-link', link('https://example.com/before'));
    await visitor.open('/links');
    await visitor.page.locator('[data-row-link]').first().focus();
    await visitor.press('e');
    await visitor.focused('Destination');
    await visitor.type('https://example.com/after');
    await visitor.press('Enter');
    await visitor.page.getByText('Saved').waitFor();
    expect(visitor.actions()).toBe(3);
    expect((await visitor.call('GET', `/short-link/${made.id}`)).destination.value).toBe('https://example.com/after');
  });

  test('a link’s week by country is 2 actions away from its row', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    await visitor.call('POST', '/short-link', link('https://example.com/'));
    await visitor.open('/links');
    await visitor.page.locator('[data-row-link]').first().focus();
    await visitor.press('Enter');
    await visitor.page.getByRole('heading', { name: 'Countries, last 7 days' }).waitFor();
    await visitor.press('w');
    expect(await visitor.page.evaluate(() => document.activeElement?.id)).toBe('countries');
    expect(visitor.actions()).toBe(2);
    await expectAccessible(visitor, 'link');
  });

  test('the editor tells while typing whether a short link is free', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const slug = `taken-${Date.now()}`;
    await visitor.call('POST', '/short-link', link('https://example.com/', { slug }));
    await visitor.open('/links?new=https://example.com/new');
    const { page } = visitor;
    await visitor.focused('Destination');
    const field = page.getByLabel('Short link', { exact: true });
    await field.fill(slug);
    await page.getByText('is taken on this domain').waitFor();
    await field.fill(`${slug}-2`);
    await page.getByText('Free.').waitFor();
    await field.fill('a b');
    await page.getByText('is taken on this domain').waitFor({ state: 'detached' });
    await eventually(
      () => field.getAttribute('aria-invalid'),
      (invalid) => invalid === 'true',
    );
    await visitor.click('button', 'Suggest one that can be read out');
    await page.getByText('Free.').waitFor();
    expect(await field.inputValue()).toMatch(/^(?:[a-z][aeiou]){4}$/);
  });

  test(
    'all links that were found are tagged by 4 actions, beyond the page; Undo, and their CSV',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      // The list shows fifty on a page.
      for (let start = 0; start < 300; start += 100) {
        const links = Array.from({ length: 100 }, (_value, index) => link(`https://example.com/${start + index}`));
        await visitor.call('POST', '/short-link/bulk', { links });
      }
      await visitor.call('POST', '/short-link', link('https://example.com/put-away', { isArchived: true }));
      await visitor.call('POST', '/tag', { name: 'spring', color: '#16A34A' });
      await visitor.open('/links');
      await page.getByText('300 links').waitFor();
      await expectAccessible(visitor, 'list');
      await visitor.press('Control+a');
      await visitor.press('t');
      await visitor.page.getByRole('dialog', { name: 'Tag 300 links' }).waitFor();
      await visitor.type('spring');
      await visitor.press('Enter');
      await page.getByText('300 links changed').waitFor();
      expect(visitor.actions()).toBe(4);
      // Keys go on from a row: the dialog that had the focus is gone.
      await page.locator('[data-row-link]:focus').waitFor();
      const countTagged = async () => (await visitor.call('GET', '/short-link/count?tagNames=spring')).count;
      expect(await countTagged()).toBe(300);
      await visitor.click('button', 'Undo');
      await page.getByText('The change is undone').waitFor();
      expect(await countTagged()).toBe(0);

      const rowsOf = async (press: () => Promise<void>): Promise<number> => {
        const [download] = await Promise.all([page.waitForEvent('download'), press()]);
        const csv = await readFile(await download.path(), 'utf8');
        return csv.trim().split('\r\n').length - 1;
      };
      expect(await rowsOf(() => visitor.click('link', 'Export as CSV'))).toBe(300);
      await visitor.press('Control+a');
      await visitor.click('button', 'More');
      await expectAccessible(visitor, 'list-more');
      expect(await rowsOf(() => visitor.click('menuitem', 'CSV'))).toBe(300);
    },
  );
});
