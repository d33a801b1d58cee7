// @module-tag process

import { expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { describeFlows, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('the console in the hands of a marketer', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (value: string, rest: object = {}) => ({ destination: { type: 'link', value }, ...rest });

  test('a click cap that is typed in German is that number, and a text is refused at its field', async () => {
    await using visitor = await visit({ language: 'de-DE' });
    visitor.expectErrors(/status of 400/);
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link('https://example.com/'));
    await visitor.open(`/links/${made.id}/edit`);
    await visitor.focused('Ziel');
    await visitor.click('button', 'Grenzen');
    const cap = page.getByLabel('Höchstens so viele Klicks');
    await cap.fill('1.0000');
    await visitor.press('Enter');
    await page.getByText('Muss eine Zahl sein').waitFor();
    await cap.fill('1.000');
    await visitor.press('Enter');
    await page.getByText('Gespeichert', { exact: true }).waitFor();
    expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({ maxClicks: 1_000 });
  });

  test('a search takes the names of filters and states in German, as its hint says', async () => {
    await using visitor = await visit({ language: 'de-DE' });
    const { page } = visitor;
    const folder = await visitor.call('POST', '/folder', { name: 'Frühling' });
    await visitor.call('POST', '/short-link', link('https://example.com/a', { folderId: folder.id, isActive: false }));
    await visitor.call('POST', '/short-link', link('https://example.com/b'));
    // The person is faster than the list of folders.
    const searched = Promise.withResolvers<void>();
    await page.route('**/folder/list*', (route) => searched.promise.then(() => route.continue()));
    await visitor.open('/links');
    await page.getByPlaceholder('zustand:abgelaufen').waitFor();
    await visitor.press('/');
    await visitor.type('ordner:frühling zustand:aus');
    await visitor.press('Enter');
    await page.waitForURL('**state=inactive*');
    searched.resolve();
    await page.waitForURL(({ search }) => search === `?state=inactive&folder=${folder.id}`);
    await page.getByText('1 Link', { exact: true }).waitFor();
    expect(await page.locator('[data-link]').count()).toBe(1);
  });

  test('the list takes the place of “No links yet” when the first link is made in the editor', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.open('/links');
    await visitor.focused('Paste an address');
    await visitor.click('button', 'New link');
    await visitor.focused('Destination');
    await visitor.type('https://example.com/first');
    await visitor.press('Enter');
    await page.getByText('is made and copied').waitFor();
    await page.locator('[data-link]').waitFor();
    expect(await page.getByText('No links yet').count()).toBe(0);
    // Back leads past the dialog that was closed.
    await page.goBack();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the page of a link leads back to the list with its filters, and a closed editor stays closed on Back', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.call('POST', '/short-link', link('https://example.com/a', { tags: ['spring'] }));
    await visitor.call('POST', '/short-link', link('https://example.com/b'));
    await visitor.open('/links?tag=spring&sort=clicks');
    const row = page.locator('[data-link]');
    await row.waitFor();
    await row.getByRole('link').first().click();
    await page.getByRole('link', { name: 'Links', exact: true }).last().waitFor();
    await page.locator('article').getByRole('link', { name: 'Links', exact: true }).click();
    await page.waitForURL('**/links?tag=spring&sort=clicks');
    await row.getByRole('link').first().click();
    await page.locator('article').waitFor();
    await visitor.press('Escape');
    await page.waitForURL('**/links?tag=spring&sort=clicks');
    await visitor.press('c');
    await visitor.focused('Destination');
    await visitor.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goBack();
    await page.locator('article').waitFor();
  });

  test('spaces are refused at their field at once, and left out around a slug', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await visitor.open('/links?new=https://example.com/');
    await visitor.focused('Destination');
    const preview = page.getByRole('complementary').getByText('/', { exact: false }).first();
    await page.getByLabel('Short link', { exact: true }).fill('garden sale');
    await page.getByText('Must not hold spaces').waitFor();
    await expect.poll(() => preview.innerText()).toMatch(/\/…$/);
    await page.getByLabel('Short link', { exact: true }).fill('  garden  ');
    await page.getByText('Must not hold spaces').waitFor({ state: 'detached' });
    await page.getByLabel('Destination', { exact: true }).fill('https://example.com/a b');
    await page.getByText('Must not hold spaces').waitFor();
    expect(await page.getByLabel('Short link', { exact: true }).inputValue()).toBe('garden');
    await page.getByLabel('Destination', { exact: true }).fill(' https://example.com/ ');
    await visitor.press('Control+Enter');
    await page.getByText(/\/garden is made/).waitFor();
  });

  test('a domain that is chosen from the list is the one that the link is made on', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const own = await createDomain(stack.db, visitor.organization.id);
    // The person is faster than the answer.
    const clicked = Promise.withResolvers<void>();
    await page.route('**/domain/all', (route) => clicked.promise.then(() => route.continue()));
    await visitor.open('/links?new=https://example.com/');
    await visitor.focused('Destination');
    const domain = page.getByRole('combobox', { name: 'Domain' });
    await domain.click();
    clicked.resolve();
    await page.getByRole('option', { name: own.domain }).click();
    await expect.poll(() => domain.inputValue()).toBe(own.domain);
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await visitor.press('Control+Enter');
    await page.getByText('is made and copied').waitFor();
    expect((await visitor.call('GET', '/short-link/list')).data).toMatchObject([{ domain: { domain: own.domain } }]);
  });

  test('the focus goes to the first fault of a rule, also in a rule that is closed', async () => {
    await using visitor = await visit();
    visitor.expectErrors(/status of 400/);
    const { page } = visitor;
    const rules = [
      { priority: 0, countries: ['DE'], destination: { type: 'link', value: 'https://example.com/de' } },
      { priority: 1, countries: ['FR'], destination: { type: 'link', value: 'https://example.com/fr' } },
    ];
    const made = await visitor.call('POST', '/short-link', link('https://example.com/', { rules }));
    await visitor.open(`/links/${made.id}/edit`);
    await visitor.focused('Destination');
    await visitor.click('button', /^Rules/);
    const rows = page.locator('#section-rules [role="row"]');
    await rows.first().click();
    await visitor.click('button', 'Remove Germany');
    await rows.last().click();
    await page.getByLabel('Leads to').fill('nothing here');
    await visitor.press('Control+Enter');
    const focused = page.locator(':focus');
    await expect.poll(() => focused.innerText()).toBe('Choose at least one country, language or system');
  });

  test('a control keeps the focus while its change is under way', async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const own = await createDomain(stack.db, visitor.organization.id);
    await visitor.call('PATCH', `/domain/${own.id}`, { isActive: false });
    const answers: (() => void)[] = [];
    await page.route('**/domain/*', async (route) => {
      if (route.request().method() === 'PATCH') await new Promise<void>((answer) => answers.push(answer));
      await route.continue();
    });
    await visitor.open(`/domains/${own.id}`);
    const active = page.getByRole('switch').first();
    await active.focus();
    await visitor.press('Space');
    await expect.poll(() => answers.length).toBe(1);
    await page.getByRole('switch').and(page.locator(':focus')).waitFor();
    answers[0]?.();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await active.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('hints name the key of chords as a Mac and a German keyboard have it', async () => {
    await using mac = await visit();
    await mac.page.addInitScript(() => Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }));
    await mac.open('/links');
    await expect.poll(() => mac.page.locator('kbd').first().innerText()).toBe('Cmd K');
    await using german = await visit({ language: 'de-DE' });
    await german.open('/links');
    await expect.poll(() => german.page.locator('kbd').first().innerText()).toBe('Strg K');
  });
});
