// @module-tag process

import sharp from 'sharp';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('many links in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (value: string, rest: object = {}) => ({ destination: { type: 'link', value }, ...rest });

  test(
    'several addresses that are pasted are shown as links to be, and the wrong ones have their reasons',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const taken = `taken-${Date.now()}`;
      await visitor.call('POST', '/short-link', link('https://example.com/', { slug: taken }));
      await visitor.open('/links');
      await page.locator('[data-link]').first().waitFor();
      const lines = ['https://example.com/1?utm_source=news&a=1', `example.com/2 ${taken}`, 'https://example.com/3'];
      await visitor.paste(lines.join('\n'));
      await page.waitForURL('**/links/many');
      const rows = page.getByRole('region', { name: 'What will be made' }).locator('tbody tr');
      await eventually(
        () => rows.count(),
        (count) => count === 3,
      );
      expect(await rows.first().textContent()).toContain('https://example.com/1?a=1Source: news');
      await visitor.click('button', 'Make 3 links');
      await page.getByText('2 links made').waitFor();
      expect(await rows.nth(1).textContent()).toContain('This slug is in use.');
      await expectAccessible(visitor, 'many-links');

      // The person corrects the line whose slug was taken; the two links that were made are not made again.
      await page.getByLabel('Addresses, one a line').fill(lines.join('\n').replace(taken, `${taken}-2`));
      await visitor.click('button', 'Make 1 link');
      await eventually(
        () => rows.getByText('Made', { exact: true }).count(),
        (count) => count === 3,
      );
      await visitor.click('button', 'Copy all short links');
      await page.getByText('3 short links copied').waitFor();
      const copied = (await visitor.clipboard()).split('\n');
      const { data } = await visitor.call('GET', '/short-link/list?view=full');
      expect(data).toHaveLength(4);
      expect(data.map(({ originUrl }: { originUrl: string }) => originUrl)).toEqual(expect.arrayContaining(copied));
      expect(data.find(({ utmSource }: { utmSource: string }) => utmSource === 'news').destination.value).toBe(
        'https://example.com/1?a=1',
      );
    },
  );

  test('lines that became links are no lines to be made again after Back and a reload', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.open('/links/many');
    await page.getByLabel('Addresses, one a line').fill('https://example.com/1\nhttps://example.com/2');
    await visitor.click('button', 'Make 2 links');
    await page.getByText('2 links made').waitFor();
    const made = page.getByRole('region', { name: 'What will be made' }).getByText('Made', { exact: true });
    await visitor.click('link', 'Statistics');
    await visitor.loaded();
    await page.goBack();
    await made.first().waitFor();
    expect(await made.count()).toBe(2);
    await page.reload();
    await made.first().waitFor();
    expect(await page.getByRole('button', { name: 'Make links' }).isDisabled()).toBe(true);
    expect((await visitor.call('GET', '/short-link/count')).count).toBe(2);
  });

  test(
    'destination and UTM values of all links are changed at once, and Undo gives each what it had',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      for (const [index, utmSource] of ['mail', undefined, 'social'].entries())
        await visitor.call('POST', '/short-link', link(`https://example.com/${index}`, { utmSource }));
      const read = async () => {
        const { data } = await visitor.call('GET', '/short-link/list?view=full&sortBy=createdAt&sortOrder=asc');
        return data.map((one: Record<string, unknown>) => [
          (one.destination as { value: string }).value,
          one.utmSource,
          one.utmMedium,
        ]);
      };
      const before = await read();
      await visitor.open('/links');
      await page.locator('[data-link]').first().waitFor();
      await visitor.press('Control+a');
      await visitor.click('button', 'More');
      await visitor.click('menuitem', 'UTM values');
      await page.getByRole('combobox', { name: 'Source' }).fill('news');
      await expectAccessible(visitor, 'bulk-campaign');
      await visitor.click('button', 'Apply');
      await page.getByText('3 links changed').waitFor();
      expect(await read()).toEqual(before.map(([value]: [string]) => [value, 'news', null]));
      await visitor.click('button', 'Undo');
      await page.getByText('The change is undone').waitFor();
      expect(await read()).toEqual(before);

      await visitor.press('Control+a');
      await visitor.click('button', 'More');
      await visitor.click('menuitem', 'Destination');
      await visitor.focused('Where all of them lead');
      await visitor.type('example.com/autumn');
      await visitor.press('Enter');
      await eventually(read, (links) => links.every(([value]: [string]) => value === 'https://example.com/autumn'));
      await page.getByText('3 links changed').last().waitFor();
      await page.getByRole('button', { name: 'Undo' }).last().click();
      await eventually(read, (links) => JSON.stringify(links) === JSON.stringify(before));
    },
  );

  test('filters are saved as a view, shown again after a reload, and removed', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link', link('https://example.com/', { tags: ['spring'] }));
    await visitor.call('POST', '/short-link', link('https://example.com/other'));
    await visitor.open('/links?tag=spring&sort=-clicks');
    await page.getByText('1 link', { exact: true }).waitFor();
    await visitor.click('button', 'Views');
    await visitor.click('menuitem', 'Save these filters as a view');
    await visitor.focused('Name of the view');
    await visitor.type('Spring, by clicks');
    await visitor.press('Enter');
    await page.getByText('is saved').waitFor();
    await visitor.open('/links');
    await page.getByText('2 links', { exact: true }).waitFor();
    await visitor.click('button', 'Views');
    await visitor.click('menuitem', 'Spring, by clicks');
    await page.getByText('1 link', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?tag=spring&sort=-clicks');
    await expectAccessible(visitor, 'saved-view');
    await visitor.click('button', 'Spring, by clicks');
    await visitor.click('menuitem', 'Remove the view “Spring, by clicks”');
    await page.getByRole('button', { name: 'Views' }).waitFor();
  });

  test('a row has the icon of its site, or a letter where there is none', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const icon = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#c026d3' } })
      .png()
      .toBuffer();
    // The stack reads no site of this machine.
    await page.route(/link-preview\/icon\?url=.*with\.example/, (route) =>
      route.fulfill({ contentType: 'image/png', body: icon }),
    );
    await page.route(/link-preview\/icon\?url=.*without\.example/, (route) => route.fulfill({ status: 204 }));
    for (const site of ['with', 'without'])
      await visitor.call('POST', '/short-link', link(`https://${site}.example/page`));
    await visitor.open('/links');
    const row = (host: string) => page.locator('[data-link]').filter({ hasText: `${host}.example` });
    await row('//with').locator('img[src^="blob:"]').waitFor();
    await row('//without').getByText('W', { exact: true }).waitFor();
    await expectAccessible(visitor, 'site-icons');
    expect(await page.locator('[data-link] img').count()).toBe(1);
  });

  test('the codes of all links stand on one page', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    for (const slug of ['one', 'two']) await visitor.call('POST', '/short-link', link(`https://example.com/${slug}`));
    await visitor.open('/qr-codes');
    const codes = page.getByRole('list', { name: 'QR codes' }).getByRole('img');
    await eventually(
      () => codes.count(),
      (count) => count === 2,
    );
    await expectAccessible(visitor, 'qr-codes');
    await page.getByRole('link', { name: 'Style of the QR code of' }).first().click();
    await page.waitForURL('**/qr');
    expect(page.url()).toContain('/links/');
  });

  test('a colour of a code is typed as hex, and the code is saved as PDF of a size', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link('https://example.com/'));
    await visitor.open(`/links/${made.id}/qr`);
    const hex = page.getByLabel('Colour, as hex', { exact: true });
    await hex.fill('1e3');
    await eventually(
      () => page.getByLabel('Colour', { exact: true }).inputValue(),
      (color) => color === '#11ee33',
    );
    await hex.fill('12');
    await page.getByText('Six digits, such as').waitFor();
    await visitor.press('Tab');
    await page.getByText('Six digits, such as').waitFor();
    expect(await hex.inputValue()).toBe('12');
    expect(await page.getByLabel('Gradient to', { exact: true }).count()).toBe(0);
    await visitor.click('button', 'Add a gradient');
    await page.getByLabel('Gradient to', { exact: true }).waitFor();
    await visitor.click('button', 'No gradient');
    await hex.fill('#fafafa');
    await page.getByText('below 3:1').first().waitFor();
    expect(await page.getByText('Scans: read small').count()).toBe(0);
    await hex.fill('000');
    await page.getByText('Scans: read small').waitFor();
    await visitor.click('button', 'PDF for print');
    await visitor.focused('Side in millimetres');
    await visitor.type('40');
    const [download] = await Promise.all([page.waitForEvent('download'), visitor.press('Enter')]);
    expect(download.suggestedFilename()).toBe(`${made.slug}-40mm.pdf`);
    if (process.env.WAYMARK_SCREENSHOTS !== undefined)
      await download.saveAs(`${process.env.WAYMARK_SCREENSHOTS}/code.pdf`);
  });
});
