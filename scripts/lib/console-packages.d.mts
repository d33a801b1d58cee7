/** Installs the packages that build the console, where they differ from its lock file. @param say prints a line of progress. */
export function installConsolePackages(say: (line: string) => void): Promise<void>;

/** Runs a command in `console/`. @throws Error with its output when it fails. */
export function runInConsole(command: string, args: readonly string[]): Promise<void>;
