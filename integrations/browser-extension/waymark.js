/** A failure in words for the person. `isKeyWrong`: the settings must change. */
export class Refusal extends Error {
  constructor(message, { isKeyWrong = false } = {}) {
    super(message);
    this.isKeyWrong = isKeyWrong;
  }
}

/** The text of `_locales` in the browser's language. */
export const words = (name) => chrome.i18n.getMessage(name);

/** Puts texts of `_locales` into the elements that name them. */
export function translatePage() {
  document.documentElement.lang = chrome.i18n.getUILanguage();
  document.title = words('shortenPage');
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = words(element.dataset.text);
}

/** Address of the API, without a slash at its end, and key; undefined: not set up. */
export async function readSettings() {
  const { settings } = await chrome.storage.local.get('settings');
  return settings;
}

/** Calls the API. @returns the answer of a success. @throws (rejects) Refusal. */
export async function callApi({ api, key }, path, { body, idempotencyKey } = {}) {
  const headers = { 'x-api-key': key };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  // A redirect may lead to another host, which would get the key.
  const request = {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: JSON.stringify(body),
    redirect: 'manual',
  };
  let response;
  try {
    // Cookies of a person who is signed in to the console are not for the extension.
    response = await fetch(`${api}${path}`, { ...request, credentials: 'omit', signal: AbortSignal.timeout(20_000) });
  } catch {
    throw new Refusal(words('unreachable'));
  }
  // The console, or the page of a proxy, answers every address.
  const isOwn = /^(application\/json|image\/)/.test(response.headers.get('content-type') ?? '');
  if (response.ok && isOwn) return response;
  const refusal = await response.json().catch(() => ({}));
  if (typeof refusal.code !== 'string') throw new Refusal(words('noWaymark'));
  if (response.status === 401) throw new Refusal(words('wrongKey'), { isKeyWrong: true });
  const issues = (refusal.issues ?? []).map(({ path: field, message }) => `${field}: ${message}`);
  throw new Refusal(issues.length > 0 ? issues.join('\n') : refusal.message);
}
