// CSS functions and rules that load something, and escapes that could hide their names.
const unsafe =
  /\\|@(?:import|font-face|namespace|charset|document)|(?:image-set|image|src|cross-fade|element|expression)\s*\(|javascript:|behavior\s*:|-moz-binding/i;
const ownReference = /^\s*(["']?)#[^"'()\s]*\1\s*$/;

/** Sanitizes a style sheet or a `style` attribute: removes everything that loads. */
export function cleanCss(css: string): string {
  const plain = css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/@(?:import|charset|namespace)\b[^;{}]*(?:;|$)/gi, '')
    .replaceAll(/@font-face\s*\{[^{}]*\}/gi, '')
    .replaceAll(/url\(([^)]*)\)/gi, (whole, target: string) => (ownReference.test(target) ? whole : 'none'));
  return isSafe(plain) ? plain : '';
}

/** The value of any other attribute; undefined where it would load something. */
export function cleanValue(value: string): string | undefined {
  return !value.includes('(') || isSafe(value) ? value : undefined;
}

function isSafe(css: string): boolean {
  if (unsafe.test(css)) return false;
  return [...css.matchAll(/url\s*\(([^)]*)(\)?)/gi)].every(
    ([, target, end]) => end !== '' && ownReference.test(target ?? ''),
  );
}
