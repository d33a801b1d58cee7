/** The host name in a text that was typed or pasted: an address is cut down to it. */
export function hostOfTyped(text: string): string {
  const [, rest] = /^\s*https?:\/\/(.*)$/is.exec(text) ?? [];
  return rest === undefined
    ? text
    : rest
        .replace(/^[^/?#]*@/, '')
        .replace(/[/?#:].*$/s, '')
        .trim();
}
