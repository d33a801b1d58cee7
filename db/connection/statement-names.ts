// Choices: a plan takes some ten kilobytes in each connection, and statements with a place for each value of a list are many.
const mostNames = 100;
const mostCharacters = 2_000;
const mostCounted = 1_000;
// A statement that runs once an hour is not worth a plan that is kept.
const runsBeforeName = 5;

/** Gives names to statements that run often, so that PostgreSQL parses and plans each once in a connection. */
interface StatementNames {
  /** @returns the statement's name; undefined for a long one, and for one that has not run often. */
  nameOf(text: string): string | undefined;
}

/** Names at most 100 statements, the first to run often. */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  let runs = new Map<string, number>();
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= mostNames || text.length > mostCharacters) return known;
      const count = (runs.get(text) ?? 0) + 1;
      if (count < runsBeforeName) {
        // Statements that run often are soon counted again.
        if (runs.size >= mostCounted) runs = new Map();
        runs.set(text, count);
        return undefined;
      }
      runs.delete(text);
      const name = `orm-${names.size + 1}`;
      names.set(text, name);
      return name;
    },
  };
}
