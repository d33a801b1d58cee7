import { callApi, readSettings, translatePage, words } from './waymark.js';

const find = (id) => document.querySelector(`#${id}`);
const [form, made, message, setUp] = ['shorten', 'made', 'message', 'set-up'].map(find);
const settings = await readSettings();
let attempt = { slug: undefined, key: undefined };
let shortUrl = '';

/** @param tone `good` or `bad`; left out: neither. */
function say(text, tone = '') {
  message.textContent = text;
  message.className = tone;
}

function show(section) {
  for (const one of [form, made]) one.hidden = one !== section;
}

/** The same key while nothing was changed: a second click after a lost answer makes no second link. */
function keyFor(slug) {
  if (attempt.slug !== slug) attempt = { slug, key: crypto.randomUUID() };
  return attempt.key;
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  say(words('copied'), 'good');
}

async function shorten(tab) {
  const slug = find('slug').value.trim();
  const destination = { type: 'link', value: tab.url };
  // By characters, as the API counts them: half an emoji at the end would be refused.
  const title = Array.from(tab.title?.trim() ?? '')
    .slice(0, 255)
    .join('');
  const body = { destination, ...(slug === '' ? {} : { slug }), ...(title ? { title } : {}) };
  const link = await (await callApi(settings, '/short-link', { body, idempotencyKey: keyFor(slug) })).json();
  attempt = {};
  shortUrl = link.originUrl;
  const [short, openLink] = [find('short'), find('open-link')];
  short.textContent = shortUrl.replace(/^https?:\/\//, '');
  short.href = shortUrl;
  openLink.href = `${settings.api}/console/links/${link.id}`;
  show(made);
  say('');
  find('copy').focus();
  // A page that is not in front may not write to the clipboard: the button is there for that.
  await copy(shortUrl).catch(() => {});
  await showQrCode(link);
}

async function showQrCode({ id, slug }) {
  const picture = await (await callApi(settings, `/short-link/${id}/qr-code?format=png&size=1000`)).blob();
  const [image, save] = [find('picture'), find('save-qr')];
  image.src = URL.createObjectURL(picture);
  image.alt = words('qrCode');
  save.href = image.src;
  save.download = `${slug}.png`;
  find('qr').hidden = false;
}

/** Runs what a click asks for, and says why it failed. */
async function attemptTo(button, work) {
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    say(error.message, 'bad');
    setUp.hidden = error.isKeyWrong !== true;
  } finally {
    button.disabled = false;
  }
}

for (const button of [setUp, find('open-settings')])
  button.addEventListener('click', () => void chrome.runtime.openOptionsPage());
find('copy').addEventListener('click', () => void copy(shortUrl));
find('another').addEventListener('click', () => {
  find('qr').hidden = true;
  find('slug').value = '';
  say('');
  show(form);
  find('slug').focus();
});

translatePage();
const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
if (settings === undefined) {
  say(words('notSetUp'));
  setUp.hidden = false;
} else if (!/^https?:/.test(tab?.url ?? '')) say(words('noAddress'), 'bad');
else {
  find('title').textContent = tab.title;
  find('destination').textContent = tab.url;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attemptTo(event.submitter ?? form.querySelector('button'), () => shorten(tab));
  });
  show(form);
  form.querySelector('button').focus();
}
