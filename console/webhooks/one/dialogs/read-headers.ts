/** Reads lines of `Name: value`. `headers` is undefined where there are none. `wrongLine` counts from 1. */
export function readHeaders(text: string): {
  headers: Record<string, string> | undefined;
  wrongLine: number | undefined;
} {
  const pairs: [string, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*\S)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return { headers: undefined, wrongLine: index + 1 };
    pairs.push([name, value]);
  }
  // It keeps `__proto__` as well, which the API refuses by its name.
  return { headers: pairs.length === 0 ? undefined : Object.fromEntries(pairs), wrongLine: undefined };
}
