// @module-tag process

import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { describeFlows, expectAccessible, type Visitor, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const origin = 'https://tulips.example';
let picture: Buffer;
beforeAll(async () => {
  picture = await sharp({ create: { width: 1_600, height: 1_600, channels: 3, background: '#2a6' } })
    .png()
    .toBuffer();
});

/** Answers for the API, which looks at public pages alone (6.8): nothing here is one. */
function answerPreviews({ page }: Visitor): Promise<unknown> {
  return page.route('**/link-preview?**', async (route) => {
    const url = new URL(route.request().url()).searchParams.get('url')!;
    const finalUrl = url.replace('/moved', '/spring');
    const image = `data:image/png;base64,${picture.toString('base64')}`;
    const found = { status: 200, title: 'Spring sale', description: 'All bulbs', image, isFrameable: false };
    await route.fulfill({ json: { url, finalUrl, ...found, problem: null } });
  });
}

describeFlows('cards of a link in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);

  /** The page that a network gets of a short link. */
  async function readAsNetwork(slug: string): Promise<string> {
    const response = await fetch(`${stack.edgeUrl}/${slug}`, {
      headers: { 'user-agent': 'WhatsApp/2.23.20.0' },
      redirect: 'manual',
    });
    return response.text();
  }

  test(
    'a card is written, its picture cut to size, and the edge answers networks with it',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      await answerPreviews(visitor);
      const { page: shown } = visitor;
      await visitor.open(`/links?new=${encodeURIComponent(`${origin}/moved`)}`);
      await shown.getByText(`Spring sale · Leads on to ${origin}/spring`).waitFor();
      await visitor.click('button', 'Social preview');
      await shown.getByText('This link has no card of its own: networks show what its destination says.').waitFor();
      await expectAccessible(visitor, 'cards-of-destination');

      await shown.getByLabel('Title of the card').fill(`Tulips for everybody ${'and more '.repeat(8)}`.trim());
      await shown.getByText('cut by Facebook, X, WhatsApp').waitFor();
      await shown.getByLabel('Title of the card').fill('Tulips for everybody');
      await shown.getByLabel('Description of the card').fill('Half the price until Sunday');
      await shown
        .locator('input[type=file]')
        .setInputFiles({ name: 'tulips.png', mimeType: 'image/png', buffer: picture });
      await shown.getByLabel('Enlarge').fill('2');
      await expectAccessible(visitor, 'card-picture');
      await visitor.click('button', 'Use this part');
      await shown.getByRole('button', { name: /card\.jpg/ }).waitFor();
      await shown.getByText('Networks show the card of this link.').waitFor();
      await expectAccessible(visitor, 'cards');
      await shown.getByLabel('Short link', { exact: true }).fill('tulips');
      await visitor.press('Control+Enter');
      await shown.getByText(/tulips is made/).waitFor();

      const answer = await readAsNetwork('tulips');
      expect(answer).toContain('<meta property="og:title" content="Tulips for everybody">');
      expect(answer).toContain('<meta property="og:description" content="Half the price until Sunday">');
      const image = /<meta property="og:image" content="([^"]+)">/.exec(answer)?.[1];
      const bytes = Buffer.from(await (await fetch(image ?? '')).arrayBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 1_200, height: 630, format: 'jpeg' });
    },
  );

  test('a password hides the destination from networks, and the cards say so', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    await answerPreviews(visitor);
    const { page: shown } = visitor;
    await visitor.open(`/links?new=${encodeURIComponent(`${origin}/secret`)}`);
    await visitor.click('button', 'Social preview');
    await shown.getByText('This link has no card of its own: networks show what its destination says.').waitFor();
    await visitor.click('button', 'Limits');
    await shown.getByLabel('Password', { exact: true }).fill('correct horse');
    await shown.getByText('Networks learn nothing of the destination').waitFor();
    await shown.getByText('The link asks for a password, so networks show nothing of it.').waitFor();
    expect(await shown.getByLabel('Title of the card').isDisabled()).toBe(true);
    await shown.getByLabel('Short link', { exact: true }).fill('hidden');
    await visitor.press('Control+Enter');
    await shown.getByText(/hidden is made/).waitFor();
    const answer = await readAsNetwork('hidden');
    expect(answer).not.toContain('Spring');
    expect(answer).not.toContain(origin);
  });

  test(
    'a page that refuses frames is told where the link is to show it under its own address',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit({ language: 'de-DE' });
      await answerPreviews(visitor);
      const { page: shown } = visitor;
      await visitor.open(`/links?new=${encodeURIComponent(`${origin}/strict`)}`);
      await visitor.click('button', 'Verhalten');
      await shown.getByText('Die Seite unter der kurzen Adresse zeigen').click();
      await shown.getByText('Die Seite lässt sich nicht in einer anderen zeigen').waitFor();
      await expectAccessible(visitor, 'frames-refused');
      await visitor.press('Control+Enter');
      await shown.getByText(/ist angelegt/).waitFor();
      const [made] = (await visitor.call('GET', '/short-link/list')).data;
      expect(await visitor.call('GET', `/short-link/${made.id}`)).toMatchObject({ cloaking: true });
    },
  );
});
