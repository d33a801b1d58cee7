/** SQL: the form of a slug that tells links apart, as `slugKey` of core makes it. The unique index of links holds this expression. */
export const slugKeyOf = (column: string): string => `replace(${column}, U&'\\FE0F', '')`;
