import { callApi, readSettings, translatePage, words } from './waymark.js';

const form = document.querySelector('#settings');
const [api, key] = ['#api', '#key'].map((id) => form.querySelector(id));
const message = form.querySelector('#message');

function say(text, isBad) {
  message.textContent = text;
  message.className = isBad ? 'bad' : 'good';
}

/** An address as people paste it, such as one with a slash at its end; undefined: it is none. */
function readAddress(text) {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname } = new URL(text);
  return /^https?:$/.test(protocol) ? { origin, api: `${origin}${pathname.replace(/\/+$/, '')}` } : undefined;
}

async function save() {
  const address = readAddress(api.value.trim());
  if (address === undefined) return say(words('wrongAddress'), true);
  // Before anything else is awaited: the browser asks the person only at their click.
  if (!(await chrome.permissions.request({ origins: [`${address.origin}/*`] }))) return say(words('notAllowed'), true);
  const settings = { api: address.api, key: key.value.trim() };
  try {
    await callApi(settings, '/short-link/list?limit=1');
    await chrome.storage.local.set({ settings });
    say(words('saved'), false);
  } catch (error) {
    say(error.message, true);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});

translatePage();
const known = await readSettings();
if (known !== undefined) [api.value, key.value] = [known.api, known.key];
