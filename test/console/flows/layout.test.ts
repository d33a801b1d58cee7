// @module-tag process

import { expect, test } from 'vitest';
import { ingestClicks, testClick } from '#test/support/stats.ts';
import { describeFlows, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

/** How far pages may move while they load, as browsers count layout shifts. */
const mostShift = 0.02;

interface Measures {
  shift: number;
  /** Milliseconds from the start of the navigation. */
  firstPaintMs: number;
  usableMs: number;
}

describeFlows('pages of the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** Loads a page, waits for its content and reads what the browser measured. */
  async function measure(visitor: Visitor, path: string, content: string): Promise<Measures> {
    const { page } = visitor;
    await visitor.open(path);
    await page.locator(content).first().waitFor();
    const usableMs = await page.evaluate(() => performance.now());
    // Answers that come late may move what stands there.
    await visitor.loaded();
    return page.evaluate(
      (usable) =>
        new Promise<Measures>((resolve) => {
          let shift = 0;
          const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
              if (!entry.hadRecentInput) shift += entry.value;
          });
          observer.observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              const [paint] = performance.getEntriesByName('first-contentful-paint');
              resolve({ shift, firstPaintMs: Math.round(paint?.startTime ?? 0), usableMs: Math.round(usable) });
            }),
          );
        }),
      usableMs,
    );
  }

  test('do not move while they load', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { id: folderId } = await visitor.call('POST', '/folder', { name: 'Print' });
    const links = Array.from({ length: 60 }, (_unused, index) => ({
      destination: { type: 'link', value: `https://example.com/${index}` },
      tags: ['print'],
      folderId,
    }));
    await visitor.call('POST', '/short-link/bulk', { links });
    for (const name of ['a', 'b', 'c', 'd']) await visitor.call('POST', '/domain', { domain: `${name}.example.com` });
    const [link] = (await visitor.call('GET', '/short-link/list')).data;
    const pages = [
      ['/links', '[data-link]'],
      [`/links/${link.id}/edit`, 'form, [role=group]'],
      ['/folders', '[role=row]'],
      ['/stats', 'svg'],
      ['/activity', 'h2:text-is("Past")'],
      [`/links/${link.id}`, 'h1'],
    ] as const;
    const measured: Record<string, Measures> = {};
    for (const [path, content] of pages) measured[path] = await measure(visitor, path, content);
    // Times are the machine's: they are shown, and nothing is expected of them.
    console.log(measured);
    const moving = Object.entries(measured).filter(([, { shift }]) => shift > mostShift);
    expect(moving).toEqual([]);
  });

  test('show the tab of the open page on a narrow screen, also once a phone was turned', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const phone = { width: 390, height: 844 };
    const tab = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Connected apps' });
    const end = () => tab.evaluate((link) => link.getBoundingClientRect().right);
    await visitor.open('/settings/apps');
    await page.setViewportSize(phone);
    await expect.poll(end).toBeLessThanOrEqual(phone.width);
    await page.reload();
    await expect.poll(end).toBeLessThanOrEqual(phone.width);
  });

  test('list single clicks on a narrow screen without a column beyond its edge', async () => {
    await using visitor = await visit();
    const { page, call, organization } = visitor;
    const link = await call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    const of = { organizationId: organization.id, linkId: link.id, domainId: link.domainId, folderId: link.folderId };
    await ingestClicks(stack.db, [testClick({ ...of, city: 'Berlin', country: 'DE', os: 'iOS', browser: 'Safari' })]);
    await page.setViewportSize({ width: 390, height: 844 });
    await visitor.open('/stats/clicks');
    await page.getByText('Berlin, Germany').waitFor();
    const table = page.getByRole('table');
    expect(await table.evaluate(({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth)).toBe(
      0,
    );
    expect(await table.getByRole('row').last().getByRole('cell').count()).toBe(5);
  });
});
