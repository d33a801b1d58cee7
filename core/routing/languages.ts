/** The ranges of an Accept-Language header that are wanted, the most wanted first, the first of equals before others (RFC 9110 §12.5.4). */
export function acceptedLanguages(header: string): string[] {
  return header
    .split(',')
    .map((item) => {
      const [range = '', ...parameters] = item.split(';');
      const weight = parameters.map((parameter) => /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(parameter)?.[1]).find(Boolean);
      return { range: range.trim(), quality: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ quality }) => quality > 0 && quality <= 1)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ range }) => range);
}

/** Languages that a rule for the first one matches too: Norwegian is written in two forms, which browsers name. */
const forms = new Map([['no', ['nb', 'nn']]]);

const languageTag = /^([a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?(?:-|$)/i;

/**
 * The language of a BCP 47 tag as rules are compared with it: `xx` or `xx-YY`, in today's code (`iw` is `he`). A script takes the
 * region that is written so, since rules name no script: `zh-Hant` is `zh-TW`, `zh-Hans-TW` is `zh-CN`; `sr-Latn`, which no region
 * of Serbian stands for alone, is `sr`, but `sr-Latn-RS`, which names the region where it is written most, is `sr-RS`. Null where it is
 * no tag.
 */
export function comparableLanguage(tag: string): string | null {
  const [, ...parts] = languageTag.exec(tag) ?? [];
  if (parts.length === 0) return null;
  let locale: Intl.Locale;
  try {
    // Without an extended language: Intl knows none.
    locale = new Intl.Locale(parts.filter(Boolean).join('-'));
  } catch {
    return null;
  }
  const { language, script } = locale;
  const usual = script === undefined ? undefined : likely(`${language}-${script}`).region;
  const region = [locale.region, usual].find(
    (one, index) =>
      one !== undefined &&
      /^[A-Z]{2}$/.test(one) &&
      (script === undefined ||
        (index === 0 && one === usual) ||
        (likely(`${language}-${one}`).script ?? script) === script),
  );
  return region === undefined ? language : `${language}-${region}`;
}

// Most rules name the same languages.
const known = new Map<string, readonly string[]>();
const maxKnown = 2_000;

/** The languages of a rule's condition as visitors' are compared with them (`comparableLanguage`). */
export function compileLanguages(languages: readonly string[] | null): readonly string[] | null {
  return languages === null ? null : [...new Set(languages.flatMap(languagesOf))];
}

function languagesOf(tag: string): readonly string[] {
  let languages = known.get(tag);
  if (languages === undefined) {
    const own = comparableLanguage(tag) ?? tag;
    const [language = '', region] = own.split('-');
    const others = (forms.get(language) ?? []).map((form) => (region === undefined ? form : `${form}-${region}`));
    languages = [own, ...others];
    if (known.size >= maxKnown) known.clear();
    known.set(tag, languages);
  }
  return languages;
}

/** The locale with the script and region that are likely where it names none (CLDR's likely subtags). */
function likely(tag: string): Intl.Locale {
  return new Intl.Locale(tag).maximize();
}
