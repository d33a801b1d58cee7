// @module-tag process

import { expect, test } from 'vitest';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createPerson, joinOrganization } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// Owners hand their organization on, and delete it.

describeFlows('owners in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  const rolesIn = async (organizationId: string) => {
    const { rows } = await stack.db.query<{ user_id: string; role: string }>(
      `select user_id, role from memberships m join users u on u.id = m.user_id
       where organization_id = $1 and u.type = 'human'`,
      [organizationId],
    );
    return new Map(rows.map(({ user_id: id, role }) => [id, role]));
  };

  test('the owner makes another person the owner, and is an admin from then on', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, organization, person } = visitor;
    const heir = await createPerson(stack.db, { [organization.id]: 'member' });
    await visitor.open('/settings/people');
    const panel = page.getByRole('region', { name: 'Transfer the ownership' });
    await panel.getByRole('combobox', { name: 'New owner' }).click();
    await page.keyboard.type(heir.email.toUpperCase());
    await page.getByRole('option').filter({ hasText: heir.email }).click();
    await panel.getByRole('button', { name: 'Transfer the ownership' }).click();
    await expectAccessible(visitor, 'people-transfer');
    await page.getByRole('button', { name: 'Transfer', exact: true }).click();
    await page.getByText('is the owner now', { exact: false }).waitFor();
    await panel.getByRole('button', { name: 'Transfer the ownership', disabled: true }).waitFor();
    expect(await rolesIn(organization.id)).toEqual(
      new Map([
        [person.id, 'admin'],
        [heir.id, 'owner'],
      ]),
    );
    await visitor.open('/settings/organization');
    const remove = page.getByRole('region', { name: 'Delete the organization' });
    expect(await remove.getByRole('button', { name: 'Delete the organization' }).isDisabled()).toBe(true);
  });

  test(
    'the organization is deleted by typing its name, and its last owner, signed out, sees how far it is',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page, organization } = visitor;
      visitor.expectErrors(/401/);
      const domain = await createDomain(stack.db, organization.id);
      const { id: organizationId, folderId } = organization;
      await createLink(stack.db, { organizationId, folderId, domainId: domain.id });
      await visitor.open('/settings/organization');
      await visitor.click('button', 'Delete the organization');
      await page.getByText('This deletes 1 link and 1 domain', { exact: false }).waitFor();
      const confirm = page.getByRole('button', { name: 'Delete for good' });
      expect(await confirm.isDisabled()).toBe(true);
      const name = await page.getByRole('alertdialog').getByRole('heading').textContent();
      await visitor.type(/^Delete (?<name>.*)\?$/.exec(name ?? '')?.groups?.['name'] ?? '');
      await expectAccessible(visitor, 'organization-delete');
      await confirm.click();
      await page.getByRole('heading', { name: 'The organization is deleted' }).waitFor();
      await page.getByText('0 of 1 links removed').waitFor();
      await expectAccessible(visitor, 'organization-deleted');
      await page.reload();
      await page.getByText('0 of 1 links removed').waitFor();
      // The workflow waits a minute for late clicks before it removes rows: here its end is written by hand.
      await stack.db.query('delete from purges where id = $1', [organizationId]);
      await page.getByText('Everything is removed.').waitFor();
      await page.getByRole('link', { name: 'To the sign-in' }).click();
      await visitor.focused('E-mail');
    },
  );

  test('a person with another organization goes on there', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, organization, person } = visitor;
    const home = await createOrganization(stack.db);
    await joinOrganization(stack.db, person.id, home.id, 'member');
    await visitor.open('/settings/organization');
    await visitor.click('button', 'Delete the organization');
    const { rows } = await stack.db.query('select name from organizations where id = $1', [organization.id]);
    await visitor.type(String(rows[0]?.name));
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('link', { name: 'Go on in', exact: false }).click();
    await visitor.focused('Paste an address');
    expect([...(await rolesIn(home.id)).keys()]).toContain(person.id);
  });
});
