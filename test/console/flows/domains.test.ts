// @module-tag process

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isNight } from '#test/support/night.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const edgeName = 'edge.waymark.example';

describeFlows('domains in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  test('an address of no domain, or of no link, has a page that says so', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/40[04]/);
    for (const id of ['xyz', '00000000-0000-7000-8000-000000000000']) {
      await visitor.open(`/domains/${id}`);
      await visitor.page.getByRole('heading', { name: 'There is no such domain, or it was deleted' }).waitFor();
    }
    await visitor.open('/links/xyz/history');
    await visitor.page.getByRole('heading', { name: 'There is no such link, or it was deleted' }).waitFor();
    expect(await visitor.page.getByText('UUID').count()).toBe(0);
  });

  test(
    'a domain is added and its records copied by 5 actions, and the page notices when they are right',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      await visitor.open('/domains');
      await page.getByText('No domain yet').waitFor();
      await expectAccessible(visitor, 'domains-empty');
      await visitor.click('button', 'Add a domain');
      expect(await page.getByRole('button', { name: 'Add a domain' }).count()).toBe(0);
      await visitor.focused('Domain name');
      await visitor.paste('https://go.self.example/');
      await visitor.press('Enter');
      await visitor.click('button', 'Copy the value of the TXT record');
      const txt = await visitor.clipboard();
      await visitor.click('button', 'Copy the value of the CNAME record');
      expect(visitor.actions()).toBe(5);
      expect(txt).toMatch(/^waymark-verify=/);
      expect(await visitor.clipboard()).toBe(edgeName);
      await page.getByText('There is no TXT record of this name yet.').waitFor();
      await page.getByText('Publish both records', { exact: false }).waitFor();
      await expectAccessible(visitor, 'domain-waiting');
      stack.dns.set('_waymark.go.self.example', { TXT: [txt] });
      stack.dns.set('go.self.example', { CNAME: edgeName });
      // Its own process looks again 30 s after the first check; by day a program asks before.
      const [{ id }] = (await visitor.call('GET', '/domain/list')).data;
      if (!isNight) await visitor.call('POST', `/domain/${id}/dns-check`);
      await page.getByText('Short links on this domain work.').waitFor();
      expect(await page.getByText('Right', { exact: true }).count()).toBe(2);
      await expectAccessible(visitor, 'domain-verified');
    },
  );

  test('wrong records are explained, and the reason goes away with the mistake', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const { id, domain, txtRecord } = await visitor.call('POST', '/domain', { domain: 'go.zone.example' });
    stack.dns.set('zone.example', { isZone: true });
    stack.dns.set('_waymark.go.zone.example.zone.example', { TXT: [txtRecord] });
    stack.dns.set(domain, { A: ['198.51.100.7'] });
    await visitor.open(`/domains/${id}`);
    await visitor.click('button', 'Check now');
    await page.getByText('your provider appended the zone itself', { exact: false }).waitFor();
    await page.getByText('An old A record leads elsewhere. Remove it.').waitFor();
    await page.getByText('_waymark.go', { exact: true }).waitFor();
    await expectAccessible(visitor, 'domain-wrong');
    // As an API without EDGE_HOSTNAME and EDGE_ADDRESSES answers.
    await page.route('**/domain/*/dns', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const needed = answer.needed.filter(({ type }: { type: string }) => type === 'TXT');
      await route.fulfill({ response, json: { ...answer, needed } });
    });
    await page.getByText('the operator sets EDGE_HOSTNAME', { exact: false }).waitFor();
    await page.getByText('Publish the TXT record at', { exact: false }).waitFor();
    await page.unroute('**/domain/*/dns');
    stack.dns.set(`_waymark.${domain}`, { TXT: [txtRecord] });
    stack.dns.set(domain, { CNAME: edgeName });
    await visitor.click('button', 'Check now');
    await page.getByText('Short links on this domain work.').waitFor();
    expect(await visitor.call('GET', `/domain/${id}`)).toMatchObject({ isVerified: true });
  });

  test(
    'a domain is made primary, switched off, given files of apps, and deleted by its name with its links',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const { id, domain, txtRecord } = await visitor.call('POST', '/domain', { domain: 'go.set.example' });
      stack.dns.set(domain, { TXT: [txtRecord], A: [] });
      stack.dns.set(`_waymark.${domain}`, { TXT: [txtRecord] });
      await stack.db.query('update domains set is_verified = true, is_primary = false where id = $1', [id]);
      const made = await visitor.call('POST', '/short-link', {
        destination: { type: 'link', value: 'https://example.com/' },
        domainId: id,
      });
      await visitor.open(`/domains/${id}`);
      await visitor.click('button', 'Make it the primary domain');
      await page.getByText('New links are made on this domain.').waitFor();
      await page.getByLabel('Address for unknown short links').fill('nowhere');
      await page.getByRole('region', { name: 'Behaviour' }).getByRole('button', { name: 'Save' }).click();
      await page.getByText('must be an http or https URL').waitFor();
      visitor.expectErrors(/status of 400/);
      await page.getByLabel('Address for unknown short links').fill('https://www.example.com/');
      await page.getByRole('region', { name: 'Behaviour' }).getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
      await page.getByLabel('apple-app-site-association').fill('{ "applinks": ');
      await page.getByText('This is not JSON').waitFor();
      await page.getByText('Fill in the usual case').first().click();
      await page.getByLabel('App ID: team and bundle').fill('ABCDE12345.com.example.app');
      await page.getByRole('button', { name: 'Take over' }).first().click();
      await page.getByRole('region', { name: 'Apps' }).getByRole('button', { name: 'Save' }).first().click();
      await expect
        .poll(async () => (await visitor.call('GET', `/domain/${id}`)).appleAppSiteAssociation)
        .toMatchObject({ applinks: { details: [{ appIDs: ['ABCDE12345.com.example.app'] }] } });
      await page.getByRole('region', { name: 'Behaviour' }).getByRole('switch').focus();
      await page.keyboard.press('Space');
      // Nothing happens without an answer.
      await page.getByRole('alertdialog', { name: `Turn ${domain} off?` }).waitFor();
      expect(await visitor.call('GET', `/domain/${id}`)).toMatchObject({ isActive: true });
      await page.getByRole('button', { name: 'Turn it off' }).click();
      await expect
        .poll(async () => visitor.call('GET', `/domain/${id}`))
        .toMatchObject({ isActive: false, isPrimary: true, fallbackUrl: 'https://www.example.com/' });
      await page.getByText('The domain is off: its short links are not answered.').waitFor();
      await expectAccessible(visitor, 'domain-behaviour');
      await visitor.open('/domains');
      await page.getByRole('listitem').filter({ hasText: domain }).getByText('off', { exact: true }).waitFor();
      await visitor.open(`/links/${made.id}`);
      await page.getByText(`The domain ${domain} is off`, { exact: false }).waitFor();
      await page.getByText('The answer of a link that does not exist').waitFor();
      await visitor.open('/links?new=https%3A%2F%2Fexample.com%2F');
      expect(await page.getByRole('combobox', { name: 'Domain' }).inputValue()).not.toBe(domain);
      await visitor.open(`/domains/${id}`);

      // The answer comes after the page would have asked for the records of the deleted domain again.
      await page.route(`**/domain/${id}`, async (route) => {
        const response = await route.fetch();
        await setTimeout(2_500);
        await route.fulfill({ response });
      });
      await visitor.click('button', 'Delete the domain');
      await page.getByText('1 short link goes with it').waitFor();
      await visitor.focused(`Type ${domain} to confirm`);
      await page.keyboard.type(domain);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the domain' }).click();
      await page.getByText(`Deleted ${domain}`).waitFor();
      await page.getByText('No domain yet').waitFor();
      // The button that opened the dialog is gone.
      await expect.poll(async () => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      const answer = await fetch(`${stack.url}/short-link/${made.id}`, {
        headers: { 'x-api-key': visitor.organization.key },
      });
      expect(answer.status).toBe(404);
    },
  );
});
