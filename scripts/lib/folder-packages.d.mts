/**
 * Installs the packages of a folder that has a package.json of its own, where they differ from its lock file.
 * @param folder `console`, relative to the checkout. @param say prints a line of progress.
 */
export function installPackages(folder: string, say: (line: string) => void): Promise<void>;

/** Runs a command in a folder of the checkout. @throws Error with its output when it fails. */
export function runIn(folder: string, command: string, args: readonly string[]): Promise<void>;
