/**
 * Name of the newest migration. Apart from the list of migrations, which loads the ORM: the edge compares this name without it.
 */
export const newestMigration = '0104-error-codes';
