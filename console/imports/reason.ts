import { refusalWords } from '#console/api/refusal.ts';

const paths: Record<string, string> = { 'destination.value': 'destination', folderId: 'folder', domainId: 'domain' };

/**
 * The reason why a row fails, with names of fields as people read them.
 * @param reason of the API: `destination.value: must be …; slug: may hold …`. @param fields names by field.
 */
export function describeReason(reason: string, fields: Readonly<Record<string, string>>): string {
  return reason
    .split(/; (?=[^;:]{1,100}: )/)
    .map((part) => {
      // A field of the API, or a column, whose name may have spaces.
      const [, path, text] = /^([^;:]{1,100}): (.*)$/s.exec(part) ?? [];
      const whole = refusalWords(part);
      if (path === undefined || text === undefined) return whole;
      // A sentence with a colon, which has words of its own.
      if (path.includes(' ') && whole.toLowerCase() !== part.toLowerCase()) return whole;
      // A code of an error, which its message says in words.
      if (/^[A-Z_]+$/.test(path)) return refusalWords(text);
      const [first = ''] = path.split('.');
      const name =
        fields[paths[path] ?? path] ??
        fields[path.toLowerCase()] ??
        (path.startsWith('tags.') ? fields[first] : undefined);
      return `${name ?? path}: ${refusalWords(text)}`;
    })
    .join('; ');
}
