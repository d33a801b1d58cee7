interface Divided {
  /** Complete statements, without semicolons. */
  statements: string[];
  /** The unfinished statement at the end; may be empty. */
  rest: string;
}

// Tokens in which a semicolon ends no statement: strings, quoted names, comments, dollar-quoted bodies. An unclosed token reaches
// to the end.
const opaque =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\b[eE]'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?(?:\$\k<tag>\$|$)/g;

/** Splits SQL at the semicolons that end statements. */
export function divideStatements(text: string): Divided {
  const statements: string[] = [];
  let from = 0;
  let at = 0;
  opaque.lastIndex = 0;
  const take = (to: number): void => {
    const statement = text.slice(from, to).trim();
    if (statement !== '') statements.push(statement);
    from = to + 1;
  };
  while (at < text.length) {
    opaque.lastIndex = at;
    const next = opaque.exec(text);
    const end = next?.index ?? text.length;
    for (let semicolon = text.indexOf(';', at); semicolon !== -1 && semicolon < end;)
      [, semicolon] = [take(semicolon), text.indexOf(';', semicolon + 1)];
    at = next === null ? text.length : end + next[0].length;
  }
  const rest = text.slice(from);
  return { statements, rest: isOnlyComments(rest) ? '' : rest };
}

function isOnlyComments(text: string): boolean {
  return text.replaceAll(/--[^\n]*(\n|$)|\/\*[\s\S]*?\*\//g, '').trim() === '';
}
