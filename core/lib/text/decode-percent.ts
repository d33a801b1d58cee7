/** A text without its percent-encoding; the text itself where that cannot be read. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
