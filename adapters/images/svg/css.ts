// Functions and rules by which CSS fetches, and escapes, by which their names could be hidden.
const unsafe =
  /\\|@(?:import|font-face|namespace|charset|document)|(?:image-set|image|src|cross-fade|element|expression)\s*\(|javascript:|behavior\s*:|-moz-binding/i;
const ownReference = /^\s*(["']?)#[^"'()\s]*\1\s*$/;

/** A style sheet, or the value of a `style` attribute, without what it would fetch. */
export function cleanCss(css: string): string {
  const plain = css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/@(?:import|charset|namespace)\b[^;{}]*(?:;|$)/gi, '')
    .replaceAll(/@font-face\s*\{[^{}]*\}/gi, '')
    .replaceAll(/url\(([^)]*)\)/gi, (whole, target: string) => (ownReference.test(target) ? whole : 'none'));
  return isSafe(plain) ? plain : '';
}

/** The value of any other attribute; undefined where it would fetch something. */
export function cleanValue(value: string): string | undefined {
  return !value.includes('(') || isSafe(value) ? value : undefined;
}

function isSafe(css: string): boolean {
  if (unsafe.test(css)) return false;
  return [...css.matchAll(/url\s*\(([^)]*)(\)?)/gi)].every(
    ([, target, end]) => end !== '' && ownReference.test(target ?? ''),
  );
}
