// Names of known clients have less than 40.
const mostCharacters = 80;

/**
 * The name that an MCP client gives itself, as history, activity and audit log show it: text of a stranger, so without control, format
 * and unassigned characters, and bounded. @returns undefined where nothing is left.
 */
export function toClientName(given = ''): string | undefined {
  // Cut first: the handshake bounds no name. Format characters turn the direction of the text that follows.
  const spaced = given.slice(0, 10 * mostCharacters).replaceAll(/[\p{C}\s]+/gu, ' ');
  const name = Array.from(spaced.trim()).slice(0, mostCharacters).join('').trim();
  return name === '' ? undefined : name;
}
