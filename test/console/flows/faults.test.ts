// @module-tag process

import { afterEach, expect, test } from 'vitest';
import { createOrganization } from '#test/support/factories.ts';
import { joinOrganization, testPassword } from '#test/support/people.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

// What a person meets when something fails while they work. Nothing that was typed may be lost.

describeFlows('the console when something fails', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  afterEach(() => stack.heal());
  const link = (value: string, rest: object = {}) => ({ destination: { type: 'link', value }, ...rest });

  test(
    'an API that is killed during an edit and comes back: what was typed is kept and can be saved',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/ERR_CONNECTION|Failed to load resource/);
      const made = await visitor.call('POST', '/short-link', link('https://example.com/before'));
      const { page } = visitor;
      await visitor.open(`/links/${made.id}/edit`);
      await visitor.focused('Destination');
      // Parts of the page that are still being loaded cannot be loaded later.
      await visitor.loaded();
      await visitor.type('https://example.com/after');
      await stack.killApi();
      await visitor.press('Enter');
      await page.getByText('The API does not answer.').first().waitFor();
      expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/after');
      await stack.startApi();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await visitor.call('GET', `/short-link/${made.id}`)).destination.value).toBe('https://example.com/after');
    },
  );

  test(
    'a page that is opened while the API is away says so in its place, and opens by Try again',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/ERR_FAILED|Failed to load resource|The API did not answer/);
      const { page } = visitor;
      await visitor.open('/links');
      await visitor.loaded();
      await page.route('**/console/assets/**', (route) => route.abort());
      await visitor.click('link', 'Domains');
      await page.getByText('This part could not be loaded.').waitFor();
      expect(await page.getByRole('link', { name: 'Statistics' }).count()).toBe(1);
      await page.unroute('**/console/assets/**');
      await visitor.click('button', 'Try again');
      await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
    },
  );

  test(
    'a new link that is sent while the API is away is made once when it is back, and the draft survives a reload',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/ERR_CONNECTION|Failed to load resource/);
      await visitor.call('POST', '/short-link', link('https://example.com/first'));
      const { page } = visitor;
      await visitor.open('/links');
      await page.locator('[data-link]').first().waitFor();
      await visitor.press('c');
      await visitor.focused('Destination');
      await visitor.type('https://example.com/kept');
      await page.reload();
      await page.getByText('A draft that was not saved has been put back.').waitFor();
      expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/kept');
      // The page asks five times within eight seconds: a busy machine may need longer to start an API again.
      const keys: (string | undefined)[] = [];
      await page.route('**/short-link', async (route, request) => {
        keys.push(request.headers()['idempotency-key']);
        await (keys.length < 3 ? route.abort('connectionrefused') : route.continue());
      });
      await page.getByLabel('Destination').focus();
      await visitor.press('Enter');
      await page.getByText('is made and copied').waitFor();
      expect(keys).toEqual([expect.any(String), keys[0], keys[0]]);
      const { data } = await visitor.call('GET', '/short-link/list');
      expect(data.map((row: { destination: { value: string } }) => row.destination.value)).toEqual([
        'https://example.com/kept',
        'https://example.com/first',
      ]);
    },
  );

  test(
    'a session that ends during an edit: the person signs in over the page, and the save goes on',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/401/);
      const made = await visitor.call('POST', '/short-link', link('https://example.com/before'));
      const { page } = visitor;
      await visitor.open(`/links/${made.id}/edit`);
      await visitor.focused('Destination');
      await visitor.type('https://example.com/after');
      // The session ends as the change is sent: a poll that finds out earlier would open the dialog before Enter.
      let isCut = false;
      await page.route('**/short-link/*', async (route, request) => {
        if (request.method() === 'PATCH' && !isCut) {
          isCut = true;
          await stack.db.query('delete from sessions where user_id = $1', [visitor.person.id]);
        }
        await route.continue();
      });
      await visitor.press('Enter');
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      await expectAccessible(visitor, 'sign-in-again');
      await page.getByLabel('Password', { exact: true }).fill(testPassword);
      await visitor.press('Enter');
      await page.getByText('Saved', { exact: true }).waitFor();
      expect((await visitor.call('GET', `/short-link/${made.id}`)).destination.value).toBe('https://example.com/after');
    },
  );

  test(
    'two people on one link: what the other saved is shown beside, before it is overwritten',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      visitor.expectErrors(/409|412/);
      const made = await visitor.call('POST', '/short-link', link('https://example.com/before', { title: 'Before' }));
      const { page } = visitor;
      await visitor.open(`/links/${made.id}/edit`);
      await visitor.focused('Destination');
      await visitor.type('https://example.com/mine');
      await visitor.call('PATCH', `/short-link/${made.id}`, link('https://example.com/theirs', { title: 'Theirs' }));
      await visitor.press('Enter');
      const dialog = page.getByRole('alertdialog', { name: 'Somebody else changed this link' });
      await dialog.waitFor();
      await dialog.getByText('https://example.com/theirs').waitFor();
      await dialog.getByText('https://example.com/mine').waitFor();
      // The title, which only the other changed, is kept either way.
      expect(await dialog.getByRole('rowheader').allTextContents()).toEqual(['destination']);
      await dialog.getByText('While you were editing,', { exact: false }).waitFor();
      await expectAccessible(visitor, 'conflict');
      await visitor.click('button', 'Save mine over it');
      await page.getByText('Saved', { exact: true }).waitFor();
      // Only the field that this person changed is overwritten.
      expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({
        destination: { value: 'https://example.com/mine' },
        title: 'Theirs',
      });
    },
  );

  test('bad input is shown at its field, in the section that opens for it', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/400/);
    await visitor.call('POST', '/short-link', link('https://example.com/'));
    const { page } = visitor;
    await visitor.open('/links?new=javascript:alert(1)');
    await visitor.focused('Destination');
    await visitor.press('Enter');
    await page
      .getByText(/must (be|have|not).*URL|http/i)
      .first()
      .waitFor();
    await page.getByLabel('Destination').fill('https://example.com/good');
    await page.getByRole('textbox', { name: 'Short link' }).fill('not good!');
    await visitor.press('Enter');
    await page.getByText('may hold letters, digits').waitFor();
    await expectAccessible(visitor, 'bad-input');
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/good');
  });

  test('Enter pressed twice makes one link', async () => {
    await using visitor = await visit();
    await visitor.call('POST', '/short-link', link('https://example.com/first'));
    await visitor.open('/links?new=https://example.com/once');
    await visitor.focused('Destination');
    await Promise.all([visitor.press('Enter'), visitor.press('Enter')]);
    await visitor.page.getByText('is made and copied').waitFor();
    expect((await visitor.call('GET', '/short-link/count')).count).toBe(2);
  });

  test('a draft is put back only where something changed, and its notice goes once it is thrown away', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const rule = { priority: 0, countries: ['DE'], ...link('https://example.com/de') };
    const made = await visitor.call('POST', '/short-link', link('https://example.com/before', { rules: [rule] }));
    const restored = page.getByText('A draft that was not saved has been put back.');
    const open = async () => {
      await visitor.open(`/links/${made.id}/edit`);
      await visitor.focused('Destination');
    };
    // Each of the three fields completes its text as it is left.
    await open();
    await visitor.press('Tab');
    await visitor.click('button', /^Limits/);
    await page.getByLabel('Leads here afterwards').focus();
    await visitor.press('Tab');
    await visitor.click('button', /^Rules/);
    await page.getByRole('grid', { name: 'Rules' }).getByRole('row').click();
    await page.getByLabel('Then leads to').focus();
    await visitor.press('Tab');
    await open();
    expect(await restored.count()).toBe(0);
    await visitor.type('https://example.com/after');
    await page.reload();
    await restored.waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/after');
    await visitor.click('button', 'Throw the draft away');
    await restored.waitFor({ state: 'detached' });
    await visitor.focused('Destination');
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/before');
    // A text that is typed back is no change either.
    await visitor.type('https://example.com/after');
    await page.getByLabel('Destination').fill('https://example.com/before');
    await page.reload();
    await visitor.focused('Destination');
    expect(await restored.count()).toBe(0);
  });

  /** Sends the form of the focused control twice in one task, as two presses of Enter that wait while the page is busy. */
  const enterTwice = ({ page }: Visitor) =>
    page.evaluate(() => {
      const { form } = document.activeElement as HTMLInputElement | HTMLButtonElement;
      form!.requestSubmit();
      form!.requestSubmit();
    });

  test('Enter pressed twice before the page is drawn again sends a form, a dialog and a deletion once', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    const { id } = await visitor.call('POST', '/domain', { domain: 'go.twice.example' });

    await visitor.open('/settings/organization');
    await page.getByRole('textbox', { name: 'Name of the organization' }).fill('Twice');
    await enterTwice(visitor);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(sent.splice(0)).toEqual(['PATCH /organization']);

    await visitor.open('/settings/keys');
    await visitor.click('button', 'New key');
    await visitor.focused('Name');
    await visitor.type('Twice');
    await enterTwice(visitor);
    await page.getByText('Copy the key now').waitFor();
    expect(sent.splice(0)).toEqual(['POST /api-key']);

    await visitor.open('/folders');
    await visitor.click('button', 'New folder');
    await visitor.focused('Name');
    await visitor.type('Twice');
    await enterTwice(visitor);
    await page.getByText('Made the folder “Twice”').waitFor();
    expect(sent.splice(0)).toEqual(['POST /folder']);

    await visitor.open(`/domains/${id}`);
    await visitor.click('button', 'Delete the domain');
    await page.getByLabel('Type go.twice.example to confirm').fill('go.twice.example');
    // The dialog first counts the links of the domain.
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the domain', disabled: false }).waitFor();
    await enterTwice(visitor);
    await page.getByText('Deleted go.twice.example').waitFor();
    expect(sent.splice(0)).toEqual([`DELETE /domain/${id}`]);

    visitor.expectErrors(/401/);
    await page.context().clearCookies();
    await visitor.open('/links');
    await page.getByLabel('E-mail').fill(visitor.person.email);
    await page.getByLabel('Password', { exact: true }).fill(testPassword);
    await enterTwice(visitor);
    await page.getByLabel('Paste an address').waitFor();
    expect(sent).toEqual(['POST /auth/login']);
  });

  test('Enter pressed twice on a link without changes goes back one page', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link('https://example.com/'));
    await visitor.open('/stats');
    await visitor.click('link', 'Links');
    await page.locator('[data-link]').waitFor();
    await visitor.press('j');
    await visitor.press('e');
    await visitor.focused('Destination');
    await enterTwice(visitor);
    await page.getByText('Nothing has changed.').first().waitFor();
    await page.goForward();
    expect(new URL(page.url()).pathname).toBe(`/console/links/${made.id}/edit`);
  });

  test('a button that leaves the page while it is pending leaves no mark without a name', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.open('/folders');
    // The library makes its live region at the first use of it, a moment later.
    for (const name of ['First', 'Second']) {
      await visitor.click('button', 'New folder');
      await visitor.focused('Name');
      await visitor.type(name);
      await visitor.click('button', 'Save');
      await page.getByText(`Made the folder “${name}”`).waitFor();
    }
    expect(await page.getByRole('log').locator('[role="img"]').count()).toBe(0);
  });

  test('changes of different fields of one link are both saved, without a question', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/409|412/);
    const made = await visitor.call('POST', '/short-link', link('https://example.com/', { title: 'Before' }));
    const { page } = visitor;
    await visitor.open(`/links/${made.id}/edit`);
    await visitor.focused('Destination');
    await page.getByLabel('Title', { exact: true }).fill('Mine');
    await visitor.call('PATCH', `/short-link/${made.id}`, { maxClicks: 9 });
    await visitor.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({ title: 'Mine', maxClicks: 9 });
  });

  test('a suspended organization says so, and offers the person’s others', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/403|suspended/);
    const other = await createOrganization(stack.db);
    await joinOrganization(stack.db, visitor.person.id, other.id, 'member');
    await visitor.call('POST', '/short-link', link('https://example.com/'));
    const { page } = visitor;
    await visitor.open('/links');
    await page.locator('[data-link]').first().waitFor();
    await stack.db.query('update organizations set suspended_at = now() where id = $1', [visitor.organization.id]);
    await page.getByRole('heading', { name: 'This organization is suspended' }).waitFor();
    await expectAccessible(visitor, 'suspended');
    await page.getByRole('listitem').getByRole('button').click();
    await page.getByLabel('Paste an address').waitFor();
    expect(await page.getByText('suspended').count()).toBe(0);
  });

  test('a limit of the plan is told in words, and the draft stays', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/403/);
    const { page } = visitor;
    const links = Array.from({ length: 10 }, (_value, index) => link(`https://example.com/${index}`));
    await visitor.call('POST', '/short-link/bulk', { links });
    await stack.db.query(`update organizations set plan = 'free' where id = $1`, [visitor.organization.id]);
    await visitor.open('/links?new=https://example.com/eleventh');
    await visitor.focused('Destination');
    await visitor.press('Enter');
    await page.getByText('Your plan allows 10 short links.').waitFor();
    expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/eleventh');
  });

  test(
    'a person who is not signed in is led to the sign-in and then where they wanted to go',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const made = await visitor.call('POST', '/short-link', link('https://example.com/'));
      const { page } = visitor;
      visitor.expectErrors(/401/);
      await page.context().clearCookies();
      await visitor.open(`/links/${made.id}`);
      await page.getByRole('heading', { name: 'Sign in to Waymark' }).waitFor();
      await expectAccessible(visitor, 'sign-in');
      await page.getByLabel('E-mail').fill(visitor.person.email);
      await page.getByLabel('Password', { exact: true }).fill('a wrong one');
      await visitor.press('Enter');
      await page.getByText('E-mail or password is wrong.').waitFor();
      await page.getByLabel('Password', { exact: true }).fill(testPassword);
      await visitor.press('Enter');
      await page.getByRole('heading', { level: 1, name: made.slug }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/console/links/${made.id}`);
    },
  );
});
