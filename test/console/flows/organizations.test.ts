// @module-tag process

import { expect, test } from 'vitest';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { createPerson, joinOrganization, testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// The organization of a session changes, or stops.

describeFlows('the organization of a session in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** Makes a second organization of a visitor, with one link at `/first`. */
  async function second({ person }: Visitor, name: string): Promise<TestOrganization> {
    const other = await createOrganization(stack.db);
    await stack.db.query('update organizations set name = $2 where id = $1', [other.id, name]);
    await joinOrganization(stack.db, person.id, other.id, 'member');
    await fetch(`${stack.url}/short-link`, {
      method: 'POST',
      headers: { 'x-api-key': other.key, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Of ${name}`, destination: { type: 'link', value: 'https://example.com/' } }),
    });
    return other;
  }

  const nameOf = async ({ id }: TestOrganization): Promise<string> => {
    const { rows } = await stack.db.query<{ name: string }>('select name from organizations where id = $1', [id]);
    return rows[0]?.name ?? '';
  };

  const expectMoved = async ({ page, organization }: Visitor, name: string): Promise<void> => {
    await page.getByText(`Of ${name}`).waitFor();
    expect(await page.getByLabel('Paste an address').count()).toBe(0);
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menu').waitFor();
    expect(await page.getByRole('menuitem', { name, exact: true }).count()).toBe(0);
    const before = await nameOf(organization);
    const head = page.locator('p:has(strong)', { hasText: '@' });
    await head.filter({ hasText: name }).waitFor();
    expect(await head.filter({ hasText: before }).count()).toBe(0);
  };

  test('a switch shows the other organization at once, in the pages and in the account menu', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await second(visitor, 'Elsewhere Ltd');
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    await visitor.click('button', 'Your account');
    await page.getByRole('menuitem', { name: 'Elsewhere Ltd' }).click();
    await expectMoved(visitor, 'Elsewhere Ltd');
    expect(new URL(page.url()).pathname).toBe('/console/links');
  });

  test('a switch in one tab moves the other tabs too, which would else change the other organization', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await second(visitor, 'Elsewhere Ltd');
    await visitor.open('/settings/you');
    await visitor.loaded();
    const other = await page.context().newPage();
    await other.goto(`${stack.url}/console/links`);
    await other.getByRole('button', { name: 'Your account' }).click();
    await other.getByRole('menuitem', { name: 'Elsewhere Ltd' }).click();
    await page.getByText('Another tab has switched to Elsewhere Ltd').waitFor();
    await expectMoved(visitor, 'Elsewhere Ltd');
    expect(await other.getByText('Another tab has switched').count()).toBe(0);
  });

  test('a person who leaves sees the next organization at once', { tags: 'nightly' }, async () => {
    await using visitor = await visit({ role: 'member' });
    const { page } = visitor;
    await second(visitor, 'Afterwards Ltd');
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    await visitor.click('link', 'Settings');
    await visitor.click('link', 'People');
    await visitor.click('button', 'Leave the organization');
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('You have left', { exact: false }).waitFor();
    await expectMoved(visitor, 'Afterwards Ltd');
    expect(new URL(page.url()).pathname).toBe('/console/links');
  });

  test('staff who suspend their own organization reach the staff area, and end it', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page, organization } = visitor;
    visitor.expectErrors(/40[13]/);
    await stack.db.query('update users set is_staff = true where id = $1', [visitor.person.id]);
    await visitor.open(`/staff/organizations/${organization.id}?do=suspend`);
    await page.getByLabel('Reason').fill('By mistake');
    const name = await nameOf(organization);
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await visitor.press('Enter');
    await page.getByText(`${name} is suspended.`).waitFor();
    await visitor.open('/links');
    await page.getByRole('heading', { name: 'This organization is suspended' }).waitFor();
    await expectAccessible(visitor, 'suspended-staff');
    await visitor.click('link', 'To the staff area');
    await page.getByRole('heading', { name: 'Staff', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'What runs now' }).count()).toBe(0);
    await visitor.open(`/staff/organizations/${organization.id}`);
    await visitor.click('button', 'End the suspension');
    await page.getByText(`${name} is not suspended any more.`).waitFor();
    await visitor.open('/links');
    await visitor.focused('Paste an address');
  });

  test('staff whose only organization is suspended sign in', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    visitor.expectErrors(/40[13]/);
    const { id } = await createOrganization(stack.db);
    const staff = await createPerson(stack.db, { [id]: 'owner' });
    await stack.db.query('update users set is_staff = true where id = $1', [staff.id]);
    await stack.db.query('update organizations set suspended_at = now() where id = $1', [id]);
    await page.context().clearCookies();
    await visitor.open('/sign-in');
    await page.getByLabel('E-mail').fill(staff.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await visitor.press('Enter');
    await visitor.click('link', 'To the staff area');
    await page.getByRole('heading', { name: 'Staff', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/staff');
  });
});
