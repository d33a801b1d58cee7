/**
 * SQL: the form of a slug that tells links apart, as `slugKey` of core builds it. The unique index of links is on this
 * expression.
 */
export const slugKeyOf = (column: string): string => `replace(${column}, U&'\\FE0F', '')`;
