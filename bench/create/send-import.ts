import { writeMultipart } from '#test/support/upload.ts';

let address = 0;

/** Sends a file of so many links, each to a site of its own. */
export async function sendImport(url: string, key: string, links: number): Promise<void> {
  const lines = Array.from({ length: links }, () => `import-${(address += 1)},https://site${address}.example/\n`);
  const content = `keyword,url\n${lines.join('')}`;
  const { payload, headers } = writeMultipart([{ filename: 'a.csv', type: 'text/csv', content }]);
  const called = { method: 'POST', headers: { ...headers, 'x-api-key': key }, body: new Uint8Array(payload) };
  const answer = await fetch(`${url}/short-link/import`, called);
  if (answer.status !== 201) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
}
