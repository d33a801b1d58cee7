// @module-tag process

import { expect, test } from 'vitest';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const destination = { type: 'link', value: 'https://example.com/activity' };
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describeFlows('past, now and next in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  test('a link tells who made and changed it, that it is checked, and when it ends', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const draft = { destination, slug: 'story', expiresAt: inDays(3), maxClicks: 100 };
    const { id } = await visitor.call('POST', '/short-link', draft);
    await visitor.call('PATCH', `/short-link/${id}`, { isArchived: true });
    await visitor.call('PATCH', `/short-link/${id}`, { isArchived: false, title: 'A story' });
    await visitor.open(`/links/${id}`);
    await page.getByText('Changed: archived by', { exact: false }).waitFor();
    await page.getByText('in 3 days').first().waitFor();
    await visitor.click('link', 'Everything that happened');
    await page.getByText('changed the link story: archived').waitFor();
    await page.getByText('made the link story').waitFor();
    await page.getByText('0 of 100').waitFor();
    await page.getByText('All destinations are clean').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/links/${id}/history`);
    await expectAccessible(visitor, 'link-history');
  });

  test('a domain tells its checks to come, and that it was verified', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { id, domain, txtRecord } = await visitor.call('POST', '/domain', { domain: 'go.story.example' });
    await visitor.open(`/domains/${id}`);
    await page.getByText(`added the domain ${domain}`).waitFor();
    await page.getByText('Waits for its DNS records').waitFor();
    await page.getByText('The DNS records are checked again').waitFor();
    stack.dns.set(`_waymark.${domain}`, { TXT: [txtRecord] });
    stack.dns.set(domain, { CNAME: 'edge.waymark.example' });
    await visitor.click('button', 'Check now');
    await page.getByText('The DNS records are right').waitFor();
    await page.getByText(`The DNS records were right: the domain ${domain} is verified`).waitFor();
    expect(await visitor.call('GET', `/domain/${id}`)).toMatchObject({ isVerified: true });
    await expectAccessible(visitor, 'domain-story');
  });

  test('staff find a link to the process in Temporal, and others do not', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { id } = await visitor.call('POST', '/domain', { domain: 'go.staff.example' });
    await visitor.open(`/domains/${id}`);
    await page.getByText('Waits for its DNS records').last().waitFor();
    const toTemporal = page.getByRole('link', { name: `Open the process domain/${id} in Temporal` });
    expect(await toTemporal.count()).toBe(0);
    const ui = 'http://127.0.0.1:8233/namespaces/default';
    await page.route('**/auth/session', async (route) => {
      const answer = await route.fetch();
      const session = await answer.json();
      const installation = { ...session.installation, temporalUiUrl: ui };
      await route.fulfill({ response: answer, json: { ...session, installation } });
    });
    await page.reload();
    await toTemporal.waitFor();
    expect(await toTemporal.getAttribute('href')).toBe(`${ui}/workflows/domain%2F${id}`);
  });

  test(
    'the bell tells what runs on every page, and the page of activity what comes and what was changed',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.call('POST', '/short-link', { destination, slug: 'ends-soon', expiresAt: inDays(5) });
      await visitor.call('POST', '/folder', { name: 'Spring' });
      await visitor.call('POST', '/domain', { domain: 'go.bell.example' });
      await visitor.open('/links');
      await page.getByRole('button', { name: /^What runs now: \d+ process/ }).click();
      await page.getByRole('dialog', { name: 'What runs now' }).getByText('go.bell.example').waitFor();
      await expectAccessible(visitor, 'bell');
      await visitor.click('link', 'All activity');
      await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
      await page.getByRole('region', { name: 'The next 30 days' }).getByText('ends-soon').waitFor();
      const past = page.getByRole('region', { name: 'Past' });
      await past.getByText('made the folder “Spring”').waitFor();
      await expectAccessible(visitor, 'activity');
      await page.getByRole('button', { name: /Show/ }).click();
      await page.getByRole('option', { name: 'Folders' }).click();
      await past.getByText('made the link ends-soon').waitFor({ state: 'detached' });
      await past.getByText('made the folder “Spring”').waitFor();
      expect(new URL(page.url()).search).toBe('?about=folder');
      await page.goBack();
      await past.getByText('made the link ends-soon').waitFor();
      await past.getByRole('link', { name: /made the link ends-soon/ }).click();
      await page.getByRole('heading', { name: /ends-soon/, level: 1 }).waitFor();
    },
  );
});
