// What people do not read in the value of a field.
const technical = new Set(['id', 'type', 'priority']);

/** The value of a field of the API as people read it: of a destination its addresses, of a list its members; empty: none. */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(fieldText).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([name]) => !technical.has(name))
      .map(([, part]) => fieldText(part))
      .filter((text) => text !== '')
      .join(' · ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
