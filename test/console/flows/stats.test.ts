// @module-tag process

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ingestClicks, type TestClick, testClick } from '#test/support/stats.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const minute = 60_000;
const day = 1_440 * minute;

describeFlows('statistics in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** Makes a link and clicks of it, a minute ago where nothing else is given. */
  async function clicked({ call, organization }: Visitor, ...given: Partial<TestClick>[]): Promise<{ id: string }> {
    const made = await call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' } });
    const clicks = given.map((one) =>
      testClick({
        organizationId: organization.id,
        linkId: made.id,
        domainId: made.domainId,
        folderId: made.folderId,
        clickedAtMs: Date.now() - minute,
        ...one,
      }),
    );
    await ingestClicks(stack.db, clicks);
    return made;
  }

  const total = ({ page }: Visitor) => page.locator('dl dd strong').first();

  test(
    'a link’s visits of a country are shown as the API counts them, and stand in the address',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const made = await clicked(
        visitor,
        { country: 'DE', city: 'Berlin' },
        { country: 'DE', city: 'Köln', isQrCode: true },
        { country: 'FR' },
        { country: 'DE', clickedAtMs: Date.now() - 40 * day },
      );
      await clicked(visitor, { country: 'DE' });
      await visitor.open('/links');
      await page.locator(`[data-link="${made.id}"] [data-row-link]`).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('article').getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor();
      await visitor.click('button', 'Germany');
      await page.getByText('Country: Germany').waitFor();
      await total(visitor).getByText('2', { exact: true }).waitFor();
      expect(page.url()).toContain(`country=DE`);
      expect(page.url()).toContain(`link=${made.id}`);
      const cities = page.getByRole('region', { name: 'Cities' });
      expect(await cities.getByRole('row').allInnerTexts()).toEqual([
        expect.stringMatching(/^Berlin\s+1\s+50\.0%/),
        expect.stringMatching(/^Köln\s+1\s+50\.0%/),
      ]);
      const { totalClicks } = await visitor.call('GET', `/stats/report?shortLinkIds=${made.id}&country=DE`);
      expect(totalClicks).toBe(2);
      await page.reload();
      await total(visitor).getByText('2', { exact: true }).waitFor();
      await visitor.press('Escape');
      await total(visitor).getByText('3', { exact: true }).waitFor();
    },
  );

  test(
    'values of a dimension stay listed while it is filtered by, and Ctrl adds one',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await clicked(visitor, { country: 'DE' }, { country: 'DE' }, { country: 'FR' }, { country: 'US', os: 'iOS' });
      await visitor.open('/stats');
      const countries = page.getByRole('region', { name: 'Countries' });
      await countries.getByRole('button', { name: 'Germany' }).click();
      await total(visitor).getByText('2', { exact: true }).waitFor();
      expect(await countries.getByRole('row').allInnerTexts()).toEqual([
        expect.stringMatching(/^Germany\s+2\s+50\.0%/),
        expect.stringMatching(/^France\s+1\s+25\.0%/),
        expect.stringMatching(/^United States\s+1\s+25\.0%/),
      ]);
      expect(await page.getByRole('region', { name: 'Continents' }).getByRole('row').count()).toBe(1);
      await countries.getByRole('button', { name: 'France' }).click({ modifiers: ['Control'] });
      await total(visitor).getByText('3', { exact: true }).waitFor();
      await page.waitForURL(/country=DE,FR/);
      expect(await countries.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['Germany', 'France']);
      await expectAccessible(visitor, 'stats-two-values');
      await page
        .locator('svg [data-code="US"]')
        .first()
        .click({ modifiers: ['Control'] });
      await total(visitor).getByText('4', { exact: true }).waitFor();
      await countries.getByRole('button', { name: 'Germany' }).click();
      await total(visitor).getByText('2', { exact: true }).waitFor();
      await visitor.open('/stats/live?country=FR');
      await countries.getByRole('button', { name: 'Germany' }).click({ modifiers: ['Control'] });
      await page.getByRole('heading', { name: 'Clicks: 3' }).waitFor();
    },
  );

  test(
    'the address names the time zone, and the page says of which one its days are and what it does not understand',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await clicked(visitor, { country: 'DE' });
      await visitor.open('/stats?period=week');
      await page.waitForURL(/period=week&zone=/);
      const own = new URL(page.url()).searchParams.get('zone') ?? '';
      await page.getByText(`Times of ${own}`).waitFor();
      expect(await page.getByRole('button', { name: 'Show mine' }).count()).toBe(0);
      await visitor.click('link', 'Single clicks');
      await page.waitForURL(/clicks\?period=week&zone=/);
      await visitor.open('/stats?period=today&zone=America/New_York');
      await page.getByText('Parts of this address were not understood and left out: period.').waitFor();
      await page.getByText('Times of America/New York').waitFor();
      await expectAccessible(visitor, 'stats-zone');
      await visitor.click('button', 'Show mine');
      await page.getByText(`Times of ${own}`).waitFor();
      await visitor.open('/stats?period=today');
      await page.waitForURL(/zone=/);
      await page.getByText('Parts of this address were not understood and left out: period.').waitFor();
    },
  );

  test('visits of bots stand beside the clicks, and are shown by a click', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await clicked(visitor, { country: 'DE' }, { country: 'US', bot: 'preview' });
    await visitor.open('/stats');
    await total(visitor).getByText('1', { exact: true }).waitFor();
    const countries = page.getByRole('region', { name: 'Countries' });
    expect(await countries.getByRole('row').allInnerTexts()).toEqual([expect.stringContaining('Germany')]);
    await page.getByRole('definition').getByRole('button', { name: '1' }).click();
    await page.getByRole('heading', { name: 'Visits of bots over time' }).waitFor();
    await countries.getByRole('button', { name: 'United States' }).waitFor();
    expect(page.url()).toContain('agents=bots');
    expect(await countries.getByRole('row').count()).toBe(1);
  });

  test('changes of the link are marked on its timeline, and told in words', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    const made = await clicked(visitor, { country: 'DE' });
    await call('PATCH', `/short-link/${made.id}`, { title: 'Marked' });
    await visitor.open(`/stats?link=${made.id}`);
    await page.getByText('2 changes in this time').click();
    await page
      .getByText(/changed the link .*: title/)
      .last()
      .waitFor();
    const reader = page.getByRole('slider');
    expect(await reader.getAttribute('aria-valuetext')).toMatch(/changed the link .*: title/);
    await expectAccessible(visitor, 'stats-marks');
  });

  test('keys choose the period, arrows move it, and every panel follows', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await clicked(visitor, { country: 'DE' }, { country: 'FR', clickedAtMs: Date.now() - 10 * day });
    await visitor.open('/stats');
    await total(visitor).getByText('2', { exact: true }).waitFor();
    await expectAccessible(visitor, 'stats');
    await page.locator('body').click({ position: { x: 700, y: 5 } });
    await visitor.press('w');
    await total(visitor).getByText('1', { exact: true }).waitFor();
    expect(await page.getByRole('region', { name: 'Countries' }).getByRole('row').count()).toBe(1);
    await visitor.press('ArrowLeft');
    await page.getByRole('button', { name: 'France' }).waitFor();
    expect(page.url()).toMatch(/from=.*to=/);
    await visitor.press('ArrowRight');
    await page.getByRole('button', { name: 'Germany' }).waitFor();
    expect(page.url()).toContain('period=week');
    await visitor.click('button', 'World');
    await visitor.click('option', 'Europe');
    await page.locator('svg[viewBox^="385 4 253 "]').waitFor();
    await page.getByRole('slider', { name: 'Read a point' }).hover();
    await expectAccessible(visitor, 'stats-europe');
    await visitor.click('button', '7 days');
    await visitor.click('menuitem', 'All time');
    await page.waitForURL(/period=all/);
    await page.getByRole('button', { name: 'All time' }).waitFor();
    await visitor.click('button', 'All time');
    await visitor.click('menuitem', 'This month');
    await page.waitForURL(/period=thisMonth/);
    await visitor.click('button', 'Devices');
    await page.getByRole('region', { name: 'Browsers' }).waitFor();
    await page.getByRole('slider', { name: 'Read a point' }).focus();
    await visitor.press('ArrowLeft');
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/: 0, before: 0/);
    expect(await page.locator('figure dl dd').allTextContents()).toEqual(['0', '0']);
    await expectAccessible(visitor, 'stats-devices');
  });

  test('the page is saved as CSV, and all clicks are listed and exported', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await clicked(visitor, { country: 'DE', referer: 'news.example' }, { country: 'FR' });
    await visitor.open('/stats?country=DE&tab=sources');
    await page.getByRole('button', { name: 'news.example' }).waitFor();
    const downloading = page.waitForEvent('download');
    await visitor.click('button', 'CSV of this page');
    const csv = await readFile(await (await downloading).path(), 'utf8');
    expect(csv).toContain('"referer","news.example","","1","0"');
    await visitor.click('link', 'Single clicks');
    await page.getByRole('columnheader', { name: 'Led to' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    const [link] = (await visitor.call('GET', '/short-link/list')).data;
    await page.getByRole('link', { name: link.originUrl.replace(/^https?:\/\//, '') }).waitFor();
    await expectAccessible(visitor, 'stats-clicks');
    const exporting = page.waitForEvent('download');
    await visitor.click('link', 'All clicks as CSV');
    const clicks = await readFile(await (await exporting).path(), 'utf8');
    expect(clicks.trim().split('\n')).toHaveLength(2);
  });

  test('the live page tells a visit in words within seconds', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', {
      destination: { type: 'link', value: 'https://example.com/' },
    });
    await visitor.open('/stats/live');
    await page.getByText('No click yet').waitFor();
    const headers = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1' };
    await fetch(made.originUrl, { redirect: 'manual', headers: { ...headers, referer: 'https://news.example/' } });
    await page.getByText('iOS, from news.example').waitFor();
    await page.getByRole('heading', { name: 'Clicks: 1' }).waitFor();
    await expectAccessible(visitor, 'stats-live');
    expect(await page.getByRole('region', { name: 'Links' }).getByRole('row').count()).toBe(1);
  });
});
