import { refusalWords } from '#console/api/refusal.ts';

const paths: Record<string, string> = { 'destination.value': 'destination', folderId: 'folder', domainId: 'domain' };

/**
 * The reason why a row fails, with names of fields as people read them.
 * @param reason of the API: `destination.value: must be …; slug: may hold …`. @param fields names by field.
 */
export function describeReason(reason: string, fields: Readonly<Record<string, string>>): string {
  return reason
    .split(/; (?=[\w.]+: )/)
    .map((part) => {
      const [, path, text] = /^([\w.]+): (.*)$/s.exec(part) ?? [];
      if (path === undefined || text === undefined) return refusalWords(part);
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
