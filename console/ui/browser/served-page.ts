/** The page of the console as the API serves it now; undefined: the API does not answer with it. */
export async function readServedPage(): Promise<string | undefined> {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}
