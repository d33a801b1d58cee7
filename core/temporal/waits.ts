/** Signal by which an activity tells its workflow which lock of the database it waits for; null: none any more. */
export const waitsSignalName = 'waits';
