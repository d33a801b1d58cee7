// @module-tag process

import { expect, test } from 'vitest';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('API calls in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  test('calls are listed and filtered, and one shows what was sent and answered', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    // The page asks again for a call that is not written yet.
    visitor.expectErrors(/404/);
    const { page, organization } = visitor;
    const refused = await fetch(`${stack.url}/short-link`, {
      method: 'POST',
      headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
      body: JSON.stringify({ slug: 'no destination', password: 'open-sesame' }),
    });
    const { requestId } = (await refused.json()) as { requestId: string };
    await visitor.open(`/settings/calls?call=${requestId}`);
    await page.getByRole('heading', { name: 'POST /short-link' }).waitFor();
    await page.getByText('"password": "***"').waitFor();
    await page.getByText('"code": "VALIDATION_ERROR"').waitFor();
    expect(await page.getByText('open-sesame').count()).toBe(0);
    await expectAccessible(visitor, 'settings-call');
    await page.getByRole('button', { name: 'API calls' }).click();
    const lines = page.getByRole('region', { name: 'API calls' }).getByRole('listitem');
    await lines.filter({ hasText: 'POST /short-link' }).waitFor();
    // The console's own calls are shown on demand.
    expect(await lines.filter({ hasText: 'GET ' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show everything' }).click();
    await lines.filter({ hasText: 'GET /auth/session' }).first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Refused' }).click();
    await page.waitForURL('**/settings/calls?status=4xx');
    await lines.filter({ hasText: 'VALIDATION_ERROR' }).waitFor();
    await expectAccessible(visitor, 'settings-calls');
    await page.getByRole('link', { name: 'POST /short-link' }).click();
    await page.getByText(requestId, { exact: true }).waitFor();
  });

  test('the message of a fault of the server leads to its call, that of a refusal says what is wrong', async () => {
    await using visitor = await visit({ language: 'de-DE' });
    visitor.expectErrors(/500|40[04]/);
    const { page, organization } = visitor;
    const logged = await fetch(`${stack.url}/short-link`, {
      method: 'POST',
      headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
      body: '{}',
    });
    const { requestId } = (await logged.json()) as { requestId: string };
    let isFault = false;
    await page.route('**/organization', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      if (!isFault) return route.continue({ postData: JSON.stringify({ threatPolicy: 'none such' }) });
      const body = JSON.stringify({ code: 'INTERNAL_SERVER_ERROR', message: '' });
      return route.fulfill({ status: 500, headers: { 'x-request-id': requestId }, body });
    });
    await visitor.open('/settings/organization');
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /Links zu gefährlichen Seiten/ }).click();
      await page.getByRole('option', { name }).click();
      await page
        .getByRole('region', { name: 'Links zu gefährlichen Seiten' })
        .getByRole('button', { name: 'Speichern' })
        .click();
    };
    const messages = page.getByRole('region', { name: 'Meldungen' });
    await choose('Eine Seite, die ablehnt');
    await messages.getByText('Muss eines davon sein').waitFor();
    expect(await messages.getByRole('link').count()).toBe(0);
    isFault = true;
    await choose('Eine Seite, die ablehnt');
    await messages.getByRole('link', { name: requestId }).click();
    await page.getByRole('heading', { name: 'POST /short-link' }).waitFor();
  });
});
