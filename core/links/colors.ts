const palette = ['#2563EB', '#16A34A', '#DC2626', '#D97706', '#7C3AED', '#0891B2', '#DB2777', '#4D7C0F'] as const;

/** Color of folders that were given none. */
export const defaultFolderColor = '#64748B';

/** A color for a tag or folder made without one: always the same for one name, so that it looks chosen. */
export function colorOf(name: string): string {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 65_521;
  return palette[sum % palette.length]!;
}
