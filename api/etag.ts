/** Whether an If-None-Match header names a tag, by the weak comparison that it asks for (RFC 9110 §13.1.2). */
export function isNamed(header: string | undefined, etag: string): boolean {
  const strong = (tag: string): string => tag.replace(/^W\//, '');
  return header !== undefined && header.split(',').some((item) => ['*', strong(etag)].includes(strong(item.trim())));
}
