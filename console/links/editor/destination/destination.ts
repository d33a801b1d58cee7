/** A destination as the API takes it. */
interface DestinationBody {
  type: 'link' | 'mail' | 'phone';
  value: string;
}

const email = /^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/;
const phone = /^\+?[\d\s().-]{5,}$/;

/**
 * Tells a destination from a text as it was typed or pasted: `mailto:` and addresses of mail, `tel:` and numbers, all else an
 * address of the web, which gets `https://` where it has no scheme.
 */
export function destinationOf(text: string): DestinationBody {
  const trimmed = text.trim();
  if (/^mailto:/i.test(trimmed)) return { type: 'mail', value: trimmed.slice('mailto:'.length) };
  if (/^tel:/i.test(trimmed)) return { type: 'phone', value: trimmed.slice('tel:'.length) };
  if (email.test(trimmed)) return { type: 'mail', value: trimmed };
  if (phone.test(trimmed) && trimmed.replaceAll(/\D/g, '').length >= 5) return { type: 'phone', value: trimmed };
  return { type: 'link', value: withScheme(trimmed) };
}

/** What stands in the field once a destination is typed: an address of the web has its scheme. */
export function completed(text: string): string {
  const { type, value } = destinationOf(text);
  return type === 'link' ? value : text;
}

/** The address with `https://` where it has no scheme. */
export function withScheme(address: string): string {
  if (address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  // `example.com:8080/a` has a port, `javascript:alert(1)` a scheme, which the API refuses by name.
  return /^[a-z][a-z0-9+-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}
