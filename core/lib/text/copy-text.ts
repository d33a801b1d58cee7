// V8 makes a slice of fewer characters by copying them (SlicedString::kMinLength).
const shortestSlice = 13;
const oneByte = /^[\0-\u00ff]*$/;

/**
 * A text with the same characters and memory of its own. V8 makes a slice by reference: a cached slug of 20 characters
 * would keep the whole request line of 15 KB that it was cut from.
 */
export function copyText(text: string): string {
  if (text.length < shortestSlice) return text;
  const encoding = oneByte.test(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
