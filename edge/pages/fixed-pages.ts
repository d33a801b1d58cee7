import { escapeHtml } from '#core/lib/text/escape-html.ts';
import { createMessagePage, createPage, type Page } from './page.ts';
import { type Language, languages, type PageName, type Texts, texts } from './texts/texts.ts';

/** How long a client should wait before it asks again, in seconds. */
const retryAfterSeconds = '5';

const statuses: Record<PageName, number> = {
  bare: 200,
  customBare: 200,
  reported: 200,
  badRequest: 400,
  notFound: 404,
  methodNotAllowed: 405,
  timeout: 408,
  blocked: 410,
  tooManyMisses: 429,
  tooManyReports: 429,
  headersTooLarge: 431,
  failed: 500,
  unavailable: 503,
};

const headersOf: Partial<Record<PageName, Record<string, string>>> = {
  methodNotAllowed: { allow: 'GET, HEAD' },
  unavailable: { 'retry-after': retryAfterSeconds },
};

/** Pages that depend on the language alone; `password` and `wrongPassword` ask for a link's password. */
export type FixedPage = PageName | 'password' | 'wrongPassword';

// Without scripts the button stays hidden. A shown password is hidden again before it is sent, so that the browser does not
// keep it among the texts that it suggests.
const showScript = `
const field = document.getElementById('password');
const button = document.getElementById('show');
const show = (isShown) => {
  field.type = isShown ? 'text' : 'password';
  button.setAttribute('aria-pressed', String(isShown));
};
button.hidden = false;
button.addEventListener('click', () => show(field.type === 'password'));
field.form.addEventListener('submit', () => show(false));
`;

const fixed = Object.fromEntries(languages.map((language) => [language, createFixed(language)])) as Record<
  Language,
  Readonly<Record<FixedPage, Page>>
>;

/** A page that was rendered at the start. */
export function fixedPage(name: FixedPage, language: Language): Page {
  return fixed[language][name];
}

function createFixed(language: Language): Readonly<Record<FixedPage, Page>> {
  const words: Texts = texts[language];
  const pages = Object.entries(statuses).map(([key, status]) => {
    const name = key as PageName;
    const { title, text } = words[name];
    return [name, createMessagePage({ status, language, title, text, headers: headersOf[name] })] as const;
  });
  return {
    ...(Object.fromEntries(pages) as Record<PageName, Page>),
    password: createPasswordPage(language, false),
    wrongPassword: createPasswordPage(language, true),
  };
}

/** The form for a link's password. It reveals nothing about the link, and posts to its own address. */
function createPasswordPage(language: Language, isWrong: boolean): Page {
  const { title, text, label, show, showLabel, button, wrong, wrongTitle } = texts[language].password;
  const alarm = isWrong ? `\n<p class="alarm" id="wrong" role="alert">${escapeHtml(wrong)}</p>` : '';
  const invalid = isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : '';
  const body = `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>${alarm}
<form method="post">
<label for="password">${escapeHtml(label)}</label>
<div class="field">
<input id="password" name="password" type="password" maxlength="512" required autofocus autocomplete="off" autocapitalize="none" spellcheck="false"${invalid}>
<button class="quiet" id="show" type="button" aria-pressed="false" aria-label="${escapeHtml(showLabel)}" hidden>${escapeHtml(show)}</button>
</div>
<button>${escapeHtml(button)}</button>
</form>
</main>`;
  return createPage({
    status: isWrong ? 401 : 200,
    language,
    title: isWrong ? `${wrongTitle} · ${title}` : title,
    body,
    script: showScript,
    hasForm: true,
  });
}
