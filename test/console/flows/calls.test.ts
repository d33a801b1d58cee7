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
    await page.getByRole('button', { name: 'Refused' }).click();
    await page.waitForURL('**/settings/calls?status=4xx');
    await lines.filter({ hasText: 'VALIDATION_ERROR' }).waitFor();
    await expectAccessible(visitor, 'settings-calls');
    await page.getByRole('link', { name: 'POST /short-link' }).click();
    await page.getByText(requestId, { exact: true }).waitFor();
  });

  test('the message of a refused call leads to the call, for people who may read it', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/40[04]/);
    const { page } = visitor;
    await page.route('**/organization', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      return route.continue({ postData: JSON.stringify({ threatPolicy: 'none such' }) });
    });
    await visitor.open('/settings/organization');
    await page.getByRole('button', { name: /Links to dangerous pages/ }).click();
    await page.getByRole('option', { name: 'A page that refuses' }).click();
    await page
      .getByRole('region', { name: 'Messages' })
      .getByRole('link', { name: /^[-0-9a-f]{36}$/ })
      .click();
    await page.getByRole('heading', { name: 'PATCH /organization' }).waitFor();
    await page.getByText('VALIDATION_ERROR', { exact: true }).waitFor();
    expect(page.url()).toMatch(/\/settings\/calls\?call=[-0-9a-f]{36}$/);
  });
});
