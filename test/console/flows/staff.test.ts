// @module-tag process

import { expect, test } from 'vitest';
import { addLinkReport } from '#db/reports/add.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { eventually } from '#test/support/eventually.ts';
import { createDomain, createFile, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { createPerson, createSignedIn, testPassword } from '#test/support/people.ts';
import { insertRow } from '#test/support/rows.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// The staff of the installation look after organizations.

describeFlows('staff in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** A visitor who is one of the staff. */
  async function asStaff(options?: Parameters<typeof visit>[0]): Promise<Visitor & AsyncDisposable> {
    const visitor = await visit(options);
    await stack.db.query('update users set is_staff = true where id = $1', [visitor.person.id]);
    return visitor;
  }

  async function named(name: string): Promise<TestOrganization> {
    const organization = await createOrganization(stack.db);
    await stack.db.query('update organizations set name = $2 where id = $1', [organization.id, name]);
    return organization;
  }

  async function linkOf({ key }: TestOrganization, slug: string): Promise<string> {
    const response = await fetch(`${stack.url}/short-link`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ slug, destination: { type: 'link', value: 'https://bad.example/' } }),
    });
    return ((await response.json()) as { id: string }).id;
  }

  const isSuspended = async ({ id }: TestOrganization): Promise<boolean> => {
    const { rows } = await stack.db.query<{ is: boolean }>(
      'select suspended_at is not null as "is" from organizations where id = $1',
      [id],
    );
    return rows[0]?.is ?? false;
  };

  /** How many pixels are beyond the edge at 320 pixels, with text of twice the size, and read from right to left. */
  async function overflowOf({ page }: Visitor): Promise<Record<'narrow' | 'large' | 'toTheLeft', number>> {
    const measure = () => page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
    const devtools = await page.context().newCDPSession(page);
    await page.setViewportSize({ width: 320, height: 640 });
    const narrow = await measure();
    await page.setViewportSize({ width: 1280, height: 900 });
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    const large = await measure();
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 16 } });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate(() => void (document.documentElement.dir = 'rtl'));
    const toTheLeft = await measure();
    await page.setViewportSize({ width: 1440, height: 900 });
    return { narrow, large, toTheLeft };
  }

  test(
    'staff suspend an organization in six actions, and its members read the reason',
    { tags: 'nightly' },
    async () => {
      await using visitor = await asStaff();
      const { page } = visitor;
      const organization = await named('Umbra Trading');
      await visitor.open('/links');
      await page.getByRole('link', { name: 'Staff' }).waitFor();
      visitor.restart();
      await visitor.press('Control+k');
      await visitor.type('Umbra Trading');
      await visitor.click('option', 'Suspend Umbra Trading');
      await page.getByRole('alertdialog').waitFor();
      await visitor.focused('Reason');
      await visitor.type('Three links led to malware.');
      await page.getByLabel('Type Umbra Trading to confirm').focus();
      await visitor.type('Umbra Trading');
      // Nothing happens before the person says so.
      await expectAccessible(visitor, 'staff-suspend');
      expect(await isSuspended(organization)).toBe(false);
      await visitor.press('Enter');
      await page.getByText('Umbra Trading is suspended.').waitFor();
      expect(visitor.actions()).toBe(6);
      expect(await isSuspended(organization)).toBe(true);
      await page.getByText('Three links led to malware.').first().waitFor();
      await expectAccessible(visitor, 'staff-organization');

      await page.getByRole('button', { name: 'End the suspension' }).click();
      await page.getByText('Umbra Trading is not suspended any more.').waitFor();
      expect(await isSuspended(organization)).toBe(false);

      await using member = await visit();
      member.expectErrors(/401|403|This organization is suspended/);
      await stack.db.query(
        `update organizations set suspended_at = now(), suspension_reason = 'Three links led to malware.' where id = $1`,
        [member.organization.id],
      );
      await member.open('/links');
      await member.page.getByText('Three links led to malware.').waitFor();
      await member.page.getByRole('link', { name: 'help@example.com' }).waitFor();
      await expectAccessible(member, 'suspended-reason');

      await member.page.context().clearCookies();
      await member.open(`/sign-in?email=${member.person.email}`);
      await member.page.getByLabel('Password', { exact: true }).fill(testPassword);
      await member.press('Enter');
      await member.page.getByText('“Three links led to malware.” Ask the operator: help@example.com').waitFor();
    },
  );

  test('the process behind a complaint is found in two actions', { tags: 'nightly' }, async () => {
    await using visitor = await asStaff();
    const { page } = visitor;
    const organization = await named('Complained Ltd');
    const linkId = await linkOf(organization, 'complained');
    await addLinkReport(stack.db, {
      linkId,
      organizationId: organization.id,
      client: 'a client',
      reason: 'phishing',
      comment: 'It asks for my password.',
    });
    // The relay starts the workflow, and Temporal takes a moment to find it.
    await visitor.open('/staff/reports');
    await page.getByText('/complained').waitFor();
    await page.getByRole('button', { name: /^What visitors wrote about/ }).click();
    await page.getByText('It asks for my password.').waitFor();
    await expectAccessible(visitor, 'staff-reports');
    await eventually(
      async () => {
        await page.goto(`${stack.url}/console/staff/processes?ofLink=${linkId}`);
        await page.getByRole('heading', { name: 'Processes' }).waitFor();
        return page.getByRole('link', { name: /^Open in Temporal: Report/ }).count();
      },
      (count) => count > 0,
    );
    await visitor.open('/staff/reports');
    visitor.restart();
    await visitor.click('link', /^Processes of .*complained$/);
    const way = page.getByRole('link', { name: /^Open in Temporal: Report/ }).first();
    await way.waitFor();
    expect(visitor.actions() + 1).toBe(2);
    expect(await way.getAttribute('href')).toMatch(/^http:\/\/localhost:8233\/namespaces\//);
    await expectAccessible(visitor, 'staff-processes');
  });

  test('staff see the state of a link as its organization does', { tags: 'nightly' }, async () => {
    await using visitor = await asStaff();
    await using customer = await visit();
    const id = await linkOf(customer.organization, 'shelved');
    await customer.call('PATCH', `/short-link/${id}`, { isArchived: true });
    await visitor.open('/staff/links?q=shelved');
    await visitor.page.getByRole('listitem').getByText('Archived', { exact: true }).waitFor();
    expect(await visitor.page.getByText('On', { exact: true }).count()).toBe(0);
  });

  test(
    'a link that staff take down says why to its organization, which cannot turn it on',
    { tags: 'nightly' },
    async () => {
      await using visitor = await asStaff();
      const { page } = visitor;
      await using customer = await visit();
      const linkId = await linkOf(customer.organization, 'takedown');
      await visitor.open('/staff/links?q=takedown');
      await page.getByRole('button', { name: /^Take down .*takedown$/ }).click();
      await page.getByLabel('Reason').fill('Reported as phishing.');
      await expectAccessible(visitor, 'staff-take-down');
      await page.getByRole('button', { name: 'Take down', exact: true }).click();
      await page.getByText('Reported as phishing.').waitFor();
      await expectAccessible(visitor, 'staff-links');

      await customer.open(`/links/${linkId}`);
      await customer.page.getByText('Reported as phishing.').waitFor();
      await customer.page.getByRole('link', { name: 'help@example.com' }).waitFor();
      expect(await customer.page.getByRole('button', { name: 'Switch on' }).getAttribute('aria-disabled')).toBe('true');
      await expectAccessible(customer, 'link-taken-down');
      await customer.open('/links');
      await customer.page.getByText('Taken down').first().waitFor();
      await customer.open('/settings/audit');
      const line = customer.page.getByRole('listitem').filter({ hasText: 'took a link down' });
      expect(await line.locator('code').count()).toBe(0);
      await line.getByRole('link', { name: /takedown$/ }).click();
      await customer.page.getByText('Reported as phishing.').waitFor();

      await page.getByRole('button', { name: /^Restore .*takedown$/ }).click();
      await page.getByText('is restored.').waitFor();
      expect(await customer.call('GET', `/short-link/${linkId}`)).toMatchObject({ isActive: true, takenDown: null });
    },
  );

  test('staff look at an organization read-only, see so on each page, and leave', { tags: 'nightly' }, async () => {
    await using visitor = await asStaff();
    const { page } = visitor;
    const organization = await named('Looked At AG');
    await linkOf(organization, 'looked-at');
    await visitor.open(`/staff/organizations/${organization.id}`);
    await page.getByRole('button', { name: 'Look at it' }).click();
    await page.getByLabel('Reason').fill('Complaint 4711');
    await expectAccessible(visitor, 'staff-view');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Look at it' }).click();
    const bar = page.getByText('You look at Looked At AG as staff', { exact: false });
    await bar.waitFor();
    // The page of the organization, which goes, names its latest links too.
    await page.waitForURL('**/console/links');
    await page.getByText('/looked-at', { exact: false }).first().waitFor();
    await expectAccessible(visitor, 'viewing-links');
    await visitor.open('/settings/organization');
    await bar.waitFor();
    await page.getByText('Complaint 4711', { exact: false }).waitFor();
    // Not that the role forbids it: the page is that of an owner.
    await page.getByText('You look at this organization as staff: nothing can be changed.').first().waitFor();
    await page.getByRole('button', { name: 'Delete the organization', disabled: true }).waitFor();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Looked At AG' }).waitFor();
    await bar.waitFor({ state: 'detached' });
    const { rows } = await stack.db.query<{ action: string }>(
      `select action from audit_log where organization_id = $1 and caller = 'staff' order by id`,
      [organization.id],
    );
    const actions = rows.map(({ action }) => action);
    expect(actions).toContain('organizations.view');
    expect(actions).toContain('view.listShortLinks');
    expect(actions).toContain('organizations.endView');
  });

  test('staff make an organization, and send a failed delivery of a webhook again', { tags: 'nightly' }, async () => {
    await using visitor = await asStaff();
    const { page } = visitor;
    await visitor.open('/staff/organizations');
    await page.getByRole('button', { name: 'New organization' }).click();
    await page.getByLabel('Name of the organization').fill('Fresh Start');
    await page.getByLabel('E-mail of the owner').fill('owner@fresh.example');
    await expectAccessible(visitor, 'staff-create');
    visitor.expectErrors(/400/);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    // The form takes the next click once the answer is at its field.
    await page.getByRole('dialog').locator('[aria-invalid=true]').first().waitFor();
    await page.getByLabel('Password of the owner').fill('a long one that is not common');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Fresh Start' }).waitFor();
    await page.getByText('owner@fresh.example').waitFor();

    const organization = await named('Undelivered Ltd');
    const { id: webhookId } = await insertRow(stack.db, 'webhooks', {
      organization_id: organization.id,
      url: 'https://crm.example/undelivered',
      // Events of other types make no delivery of their own.
      events: ['domain.lost'],
    });
    await createDelivery(stack.db, webhookId, { attempts: 2, due_at: new Date(Date.now() + 3_600_000) });
    await createDelivery(stack.db, webhookId, { status: 'failed' });
    await insertRow(stack.db, 'webhooks', {
      organization_id: organization.id,
      url: 'https://shop.example/undelivered',
      events: ['domain.lost'],
      is_active: false,
      disabled_at: new Date(),
      disabled_reason: 'gone',
    });
    await visitor.open('/staff/webhooks?q=undelivered');
    await page.getByText('because the server answered 410 (gone)', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Deliveries of crm.example' }).waitFor();
    await page.getByText('Failing alone').click();
    await page.getByText('Nothing here').or(page.getByText('Nothing')).first().waitFor();
    await page.getByText('Failing alone').click();
    await page.getByRole('button', { name: 'Deliveries of crm.example' }).click();
    // The words of the organization's own page.
    await page.getByText('Failed', { exact: true }).waitFor();
    await page.getByText('Retrying', { exact: true }).waitFor();
    await expectAccessible(visitor, 'staff-deliveries');
    await page
      .getByRole('button', { name: /^Send again/ })
      .first()
      .click();
    await page.getByText('The delivery is sent again.').waitFor();
    const { rows } = await stack.db.query<{ action: string }>(
      `select action from audit_log where subject_id = $1 and action = 'webhooks.redeliver'`,
      [webhookId],
    );
    expect(rows).toHaveLength(1);
  });

  test(
    'every page of the staff is whole in both languages, and none is shown to others',
    { tags: 'nightly' },
    async () => {
      const organization = await named('Gathered GmbH');
      await createSignedIn(stack.db, organization.id, 'owner');
      await createPerson(stack.db, { [organization.id]: 'member' });
      await linkOf(organization, 'gathered');
      await createDomain(stack.db, organization.id);
      await createFile(stack.db, organization.id, 'meta-tag');
      await insertRow(stack.db, 'webhooks', { organization_id: organization.id, url: 'https://crm.example/hook' });
      await using visitor = await asStaff();
      const { page } = visitor;
      const pages = ['', '/organizations', '/people', '/files', '/domains', '/webhooks', '/audit'];
      for (const path of pages) {
        await visitor.open(`/staff${path}`);
        await page.getByRole('heading', { name: 'Staff', level: 1 }).waitFor();
        await page.locator('main ul li').first().waitFor();
        await expectAccessible(visitor, `staff${path.replace('/', '-') || '-health'}`);
        expect({ path, ...(await overflowOf(visitor)) }).toEqual({ path, narrow: 0, large: 0, toTheLeft: 0 });
      }
      await visitor.open(`/staff/organizations/${organization.id}`);
      await page.getByRole('heading', { name: 'Gathered GmbH' }).waitFor();
      await page.getByText('/gathered', { exact: false }).first().waitFor();
      await page.getByRole('region', { name: 'Members' }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Ada' }).waitFor();
      await page.getByRole('button', { name: 'Sign out everywhere' }).waitFor();

      await visitor.open('/staff/organizations');
      await page.getByPlaceholder('Search by name or e-mail of a member').fill('Gathered');
      await eventually(
        () => page.url(),
        (url) => url.endsWith('q=Gathered'),
      );
      await eventually(
        () => page.locator('main section li').count(),
        (count) => count === 1,
      );

      await visitor.open('/staff/audit?caller=staff');
      await page.getByText('looked at people of all organizations').first().waitFor();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as CSV' }).click();
      expect((await downloading).suggestedFilename()).toBe('audit.csv');

      await using german = await asStaff({ language: 'de-DE' });
      await german.open('/staff');
      await german.page.getByRole('heading', { name: 'Personal', level: 1 }).waitFor();
      await german.page.getByText('Alles antwortet').waitFor();

      await using member = await visit();
      await member.open('/staff/organizations');
      await member.page.getByText('These pages are for the staff', { exact: false }).waitFor();
      expect(await member.page.getByRole('link', { name: 'Staff' }).count()).toBe(0);
    },
  );
});
