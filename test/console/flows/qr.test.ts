// @module-tag process

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { eventually } from '#test/support/eventually.ts';
import { isNight } from '#test/support/night.ts';
import { describeFlows, expectAccessible, useVisitors, type Visitor } from '#test/console/support/browser.ts';
import { useConsoleStack } from '#test/console/support/stack.ts';

const { unzipSync } = createRequire(join(root, 'console/package.json'))('fflate') as {
  unzipSync: (bytes: Uint8Array) => Record<string, Uint8Array>;
};

/** Counts light pixels between two dark ones, which stand where a code was scaled and its modules do not fill whole pixels. */
async function countSeams(picture: Uint8Array): Promise<number> {
  const { data, info } = await sharp(picture).greyscale().raw().toBuffer({ resolveWithObject: true });
  const grey = (at: number): number => data.at(at) ?? 0;
  const isSeam = (at: number, step: number): boolean => {
    const [before, here, after] = [grey(at - step), grey(at), Math.min(grey(at + step), grey(at + 2 * step))];
    return Math.max(before, after) < 100 && here - Math.max(before, after) > 30;
  };
  let seams = 0;
  for (let at = 2 * info.width; at < data.length - 2 * info.width; at += 1)
    if (isSeam(at, 1) || isSeam(at, info.width)) seams += 1;
  return seams;
}

describeFlows('QR codes in the console', () => {
  const stack = useConsoleStack();
  const visit = useVisitors(stack);
  const link = (rest: object = {}) => ({ destination: { type: 'link', value: 'https://example.com/' }, ...rest });
  const logo =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="red"/></svg>';

  /** The SVG that the API draws of a link. @param size by default that of the picture on the page. */
  async function drawnByApi({ organization }: Visitor, id: string, size = 320): Promise<string> {
    const response = await fetch(`${stack.url}/short-link/${id}/qr-code?format=svg&size=${size}`, {
      headers: { 'x-api-key': organization.key },
    });
    expect(response.status).toBe(200);
    return response.text();
  }

  /** Waits for the outcome of the trial, and reads the picture that it was about. */
  async function picture({ page }: Visitor): Promise<string> {
    await eventually(
      () => page.getByRole('status', { name: 'Tried out' }).innerText(),
      (text) => text !== '' && !text.includes('Being tried out'),
    );
    const source = await page.getByRole('img', { name: 'QR code that leads to' }).getAttribute('src');
    return decodeURIComponent(source!.slice(source!.indexOf(',') + 1));
  }

  test(
    'the code of a link is downloaded as SVG by 2 actions on its row, as the API draws it',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const made = await visitor.call('POST', '/short-link', link());
      await visitor.open('/links');
      await visitor.page.locator('[data-row-link]').first().focus();
      await visitor.press('q');
      await visitor.page.getByRole('button', { name: 'SVG' }).waitFor();
      const downloading = visitor.page.waitForEvent('download');
      await visitor.press('Enter');
      const download = await downloading;
      expect(visitor.actions()).toBe(2);
      expect(download.suggestedFilename()).toBe(`${made.slug}.svg`);
      expect(await readFile(await download.path(), 'utf8')).toBe(await drawnByApi(visitor, made.id, 600));
      await visitor.page.getByText('Scans: read small').waitFor();
      await expectAccessible(visitor, 'qr');
    },
  );

  test(
    'the codes of all links that were found are downloaded as one ZIP by 2 actions, each as the API draws it',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const { page } = visitor;
      const uploaded = new FormData();
      uploaded.append('file', new Blob([logo], { type: 'image/svg+xml' }), 'logo.svg');
      const response = await fetch(`${stack.url}/files/qr-code-image`, {
        method: 'POST',
        headers: { 'x-api-key': visitor.organization.key },
        body: uploaded,
      });
      const { id: imageId } = await response.json();
      const styled = await visitor.call('POST', '/short-link', link({ qrCode: { options: {}, imageId } }));
      const links = Array.from({ length: 60 }, () => link());
      await visitor.call('POST', '/short-link/bulk', { links });
      await visitor.open('/links');
      await page.getByText('61 links').waitFor();
      await visitor.press('Control+a');
      await page.getByText('61 selected').waitFor();
      await expectAccessible(visitor, 'list-selected');
      const [download] = await Promise.all([page.waitForEvent('download'), visitor.click('button', 'QR codes')]);
      expect(visitor.actions()).toBe(2);
      expect(download.suggestedFilename()).toBe('qr-codes.zip');
      await page.getByText('61 QR codes downloaded').waitFor();
      const files = unzipSync(await readFile(await download.path()));
      expect(Object.keys(files)).toHaveLength(61);
      const { data } = await visitor.call('GET', '/short-link/list?limit=1');
      for (const { id, slug } of [styled, data[0]])
        expect(new TextDecoder().decode(files[`localhost/${slug}.svg`])).toBe(await drawnByApi(visitor, id, 600));
    },
  );

  test(
    'a style is drawn at once, saved, and drawn by the API the same way, its logo inside',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const made = await visitor.call('POST', '/short-link', link());
      await visitor.open(`/links/${made.id}/qr`);
      const plain = await picture(visitor);
      await visitor.click('button', 'Dusk');
      await visitor.page
        .locator('input[type=file]')
        .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(logo) });
      await visitor.page.getByLabel('Size of the logo').waitFor();
      await visitor.page.getByText('Being tried out').waitFor({ state: 'detached' });
      const styled = await picture(visitor);
      expect(styled).not.toBe(plain);
      expect(styled).toContain('data:image/svg+xml');
      await visitor.click('button', 'Save the style');
      await visitor.page.getByText('The style is saved').waitFor();
      expect((await visitor.call('GET', `/short-link/${made.id}`)).qrCode).toMatchObject({
        options: { dotsOptions: { type: 'extra-rounded' } },
        imageId: expect.any(String),
      });
      expect(styled).toBe(await drawnByApi(visitor, made.id));
      const png = visitor.page.waitForEvent('download');
      await visitor.click('button', 'PNG');
      const bytes = await readFile(await (await png).path());
      expect([bytes.toString('latin1', 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
        'PNG',
        1000,
        1000,
      ]);
      expect(await countSeams(bytes)).toBeLessThan(10);
    },
  );

  test(
    'a style of too little contrast is not read, and the page says so before it is printed',
    { tags: 'nightly' },
    async () => {
      await using visitor = await visit();
      const grey = { type: 'square', color: '#E5E5E5' };
      const options = { dotsOptions: grey, cornersSquareOptions: grey, cornersDotOptions: grey, margin: 4 };
      const made = await visitor.call('POST', '/short-link', link({ qrCode: { options } }));
      await visitor.open(`/links/${made.id}/qr`);
      const { message } = made.warnings.find(({ path }: { path: string }) => path.startsWith('qrCode'));
      expect(message).toContain('below 3:1');
      await visitor.page.getByText(message, { exact: true }).waitFor();
      expect(await picture(visitor)).toMatch(/#e5e5e5/i);
      await expectAccessible(visitor, 'qr-warning');
    },
  );

  test('a style that is not saved is there again after another page', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const { page } = visitor;
    const made = await visitor.call('POST', '/short-link', link());
    await visitor.open(`/links/${made.id}/qr`);
    await visitor.click('button', 'Dusk');
    await eventually(async () => /#4c1d95/i.test(await picture(visitor)));
    await visitor.click('link', 'To the link');
    await page.getByRole('article').getByRole('link', { name: 'QR code' }).first().click();
    await eventually(async () => /#4c1d95/i.test(await picture(visitor)));
    await visitor.click('button', 'Save the style');
    await page.getByText('The style is saved').waitFor();
    expect((await visitor.call('GET', `/short-link/${made.id}`)).qrCode.options.dotsOptions.color).toBe('#4C1D95');
  });

  test('random styles are drawn as the API draws them', { tags: 'nightly' }, async () => {
    await using visitor = await visit();
    const color = fc.constantFrom('#000000', '#1E3A8A', '#7c2d12', '#0f0');
    const corner = fc.record(
      { type: fc.constantFrom('dot', 'square', 'extra-rounded', 'rounded', 'dots', 'classy', 'classy-rounded'), color },
      { requiredKeys: [] },
    );
    const gradient = fc.record({
      type: fc.constantFrom('linear', 'radial'),
      rotation: fc.integer({ min: 0, max: 360 }),
      colorStops: fc.tuple(color, color).map(([from, to]) => [
        { offset: 0, color: from },
        { offset: 1, color: to },
      ]),
    });
    const style = fc.record(
      {
        margin: fc.integer({ min: 0, max: 8 }),
        dotsOptions: fc.record(
          {
            type: fc.constantFrom('dots', 'rounded', 'classy', 'classy-rounded', 'square', 'extra-rounded'),
            color,
            gradient,
          },
          { requiredKeys: [] },
        ),
        cornersSquareOptions: corner,
        cornersDotOptions: corner,
      },
      { requiredKeys: [] },
    );
    const styles = fc.sample(style, { numRuns: isNight ? 12 : 4, seed: 19 });
    const links = styles.map((options) => link({ qrCode: { options } }));
    const { results } = await visitor.call('POST', '/short-link/bulk', { links });
    for (const { data } of results) {
      await visitor.open(`/links/${data.id}/qr`);
      expect(await picture(visitor)).toBe(await drawnByApi(visitor, data.id));
    }
  });
});
