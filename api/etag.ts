/** Whether If-None-Match holds an entity tag, by weak comparison (RFC 9110 §13.1.2). */
export function isNamed(header: string | undefined, etag: string): boolean {
  const strong = (tag: string): string => tag.replace(/^W\//, '');
  return header !== undefined && header.split(',').some((item) => ['*', strong(etag)].includes(strong(item.trim())));
}
