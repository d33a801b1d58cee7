// @module-tag process
// @module-tag nightly

import { expect, test } from 'vitest';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('links with known threats in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  test('say what was found, and what visitors get by the policy of the organization', async () => {
    await using visitor = await visit();
    const { page, call } = visitor;
    const value = `https://example.com/${Date.now()}`;
    const { id } = await call('POST', '/short-link', { destination: { type: 'link', value }, password: 'secret' });
    const hash = hashOfUrl(value);
    await stack.db.query(
      `insert into threat_verdicts (url_hash, url, threat_types, scanned_at, expires_at)
       values ($1, $2, '{SOCIAL_ENGINEERING}', now(), now() + interval '1 day')
       on conflict (url_hash) do update set threat_types = excluded.threat_types, expires_at = excluded.expires_at`,
      [hash, value],
    );
    await stack.db.query('update destinations set url_hash = $1 where link_id = $2', [hash, id]);

    await visitor.open('/links');
    await page.getByText('on a list of dangerous pages (phishing)', { exact: false }).waitFor();
    await expectAccessible(visitor, 'links-flagged');
    const meet = page.getByRole('region', { name: 'What visitors meet' });
    for (const [threatPolicy, sentence, everyone] of [
      ['warn', 'Visitors are warned, and may go on.', 'After a warning: the destination is dangerous'],
      ['pass', 'Visitors are led there all the same, as the organization wants it.', 'After the password'],
      ['block', 'Visitors get a page that refuses.', 'A page that refuses: the destination is dangerous'],
    ] as const) {
      await stack.db.query('update organizations set threat_policy = $2 where id = $1', [
        visitor.organization.id,
        threatPolicy,
      ]);
      await visitor.open(`/links/${id}`);
      await page.getByText(sentence, { exact: false }).waitFor();
      await meet.getByText(everyone, { exact: false }).first().waitFor();
      expect(await page.getByText('SOCIAL_ENGINEERING').count()).toBe(0);
    }
    await expectAccessible(visitor, 'link-flagged');
  });
});
