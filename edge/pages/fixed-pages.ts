import { createPage, escapeHtml, type Page } from './page.ts';
import { type Language, languages, type PageName, type Texts, texts } from './texts/texts.ts';

/** How long a client should wait before it asks again, in seconds. */
const retryAfterSeconds = '5';

const statuses: Record<PageName, number> = {
  bare: 200,
  badRequest: 400,
  notFound: 404,
  methodNotAllowed: 405,
  timeout: 408,
  gone: 410,
  tooManyMisses: 429,
  tooManyTries: 429,
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
    const body = `<main>\n<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>\n</main>`;
    return [name, createPage({ status, language, title, body, headers: headersOf[name] })] as const;
  });
  return {
    ...(Object.fromEntries(pages) as Record<PageName, Page>),
    password: createPasswordPage(language, false),
    wrongPassword: createPasswordPage(language, true),
  };
}

/** The form for a link's password. It reveals nothing about the link, and posts to its own address (4.7). */
function createPasswordPage(language: Language, isWrong: boolean): Page {
  const { title, text, label, button, wrong } = texts[language].password;
  const alarm = isWrong ? `\n<p class="alarm" id="wrong" role="alert">${escapeHtml(wrong)}</p>` : '';
  const invalid = isWrong ? ' aria-invalid="true" aria-describedby="wrong"' : '';
  const body = `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>${alarm}
<form method="post">
<label for="password">${escapeHtml(label)}</label>
<input id="password" name="password" type="password" maxlength="512" required autofocus autocomplete="off"${invalid}>
<button>${escapeHtml(button)}</button>
</form>
</main>`;
  return createPage({ status: isWrong ? 401 : 200, language, title, body, hasForm: true });
}
