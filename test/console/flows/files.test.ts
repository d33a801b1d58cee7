// @module-tag process

import { expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { describeFlows, expectAccessible, useVisitors } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

describeFlows('files in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (rest: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...rest });
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  test('a file is uploaded, kept while a link uses it, and deleted then', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    visitor.expectErrors(/400/);
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link());
    await visitor.open('/files');
    await page.getByText('No file yet').waitFor();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'card.png', mimeType: 'image/png', buffer: png },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
      { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    ]);
    await page.getByText('1 of 3 uploaded').waitFor();
    await page.getByText('This is none of PNG, JPG, WebP.').waitFor();
    await page.getByText('must be an image').waitFor();
    await page.getByRole('button', { name: 'Delete card.png' }).waitFor();
    await expectAccessible(visitor, 'files');
    await visitor.click('button', 'Copy the address of card.png');
    const [file] = (await visitor.call('GET', '/files/list')).data;
    await eventually(
      () => visitor.clipboard(),
      (text) => text === file.url,
    );

    const use = (imageId: string | null) =>
      visitor.call('PATCH', `/short-link/${made.id}`, { metaTags: imageId === null ? null : { title: 'T', imageId } });
    await use(file.id);
    visitor.restart();
    await visitor.click('button', 'Delete card.png');
    await visitor.click('button', /^Delete$/);
    await page.getByText('A short link or a domain uses it: choose another picture there first.').waitFor();
    await expectAccessible(visitor, 'file-in-use');
    expect((await fetch(file.url)).status).toBe(200);
    await visitor.press('Escape');

    await use(null);
    visitor.restart();
    await visitor.click('button', 'Delete card.png');
    await visitor.click('button', /^Delete$/);
    await page.getByText('Deleted card.png').waitFor();
    expect(visitor.actions()).toBe(2);
    await page.getByText('No file yet').waitFor();
    // The API may know the file for another second.
    await eventually(
      async () => (await fetch(file.url)).status,
      (status) => status === 404,
    );
  });

  test('a pasted picture is uploaded', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    await visitor.open('/files');
    await visitor.page.getByText('No file yet').waitFor();
    await visitor.page.evaluate(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'pasted.png', { type: 'image/png' }));
        document.body.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      },
      [...png],
    );
    await visitor.page.getByRole('button', { name: 'Delete pasted.png' }).waitFor();
    expect((await visitor.call('GET', '/files/list')).count).toBe(1);
  });
});
