import { writeMultipart } from '#test/support/upload.ts';

let counter = 0;
/** An address that no link leads to yet. */
export const nextUrl = (): string => `https://site${(counter += 1)}.example/path/${counter}`;

/** Sends a file to be imported. @returns the id of the import. */
export async function sendFile(address: string, key: string, links: number): Promise<string> {
  const lines = Array.from({ length: links }, () => `import-${counter},${nextUrl()}\n`).join('');
  const { payload, headers } = writeMultipart([
    { filename: 'a.csv', type: 'text/csv', content: `keyword,url\n${lines}` },
  ]);
  const answer = await fetch(`${address}/short-link/import`, {
    method: 'POST',
    headers: { ...headers, 'x-api-key': key },
    body: new Uint8Array(payload),
  });
  if (answer.status !== 201) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}
