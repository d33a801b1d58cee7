/**
 * Makes, reads, changes, lists, draws and deletes a link: in a page, Deno and Bun too.
 * @param sdk exports of `@waymark/sdk`
 * @returns what became of each step
 */
export async function walk(sdk, baseUrl, apiKey) {
  const waymark = sdk.createWaymark({ baseUrl, apiKey });
  let version = '';
  const onResponse = (response) => (version = response.headers.get('etag') ?? '');
  const made = await waymark.links.create(
    { destination: { type: 'link', value: 'https://example.com/walk' } },
    { onResponse },
  );
  const read = await waymark.links.get(made.id);
  const changed = await waymark.links.update(made.id, { title: 'Walk' }, { headers: { 'If-Match': version } });
  const found = [];
  for await (const link of waymark.links.list({ search: made.slug })) found.push(link.id);
  const picture = await waymark.links.drawQrCode(made.id, { format: 'png' });
  await waymark.links.delete(made.id);
  const refusal = await waymark.links.get(made.id).catch((error) => error);
  return {
    isSame: read.id === made.id && found.length === 1 && found[0] === made.id,
    title: changed.title,
    picture: picture.type,
    refusal: refusal instanceof sdk.NotFoundError ? refusal.code : String(refusal),
    hasRequestId: typeof refusal.requestId === 'string',
  };
}
