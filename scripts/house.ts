import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

// Counts what a reader of the tree meets: `npm run house`, or with the folder of another checkout.
// It reads imports and exports by their text, which oxfmt keeps in one form; no file is compiled.

const rooms = [
  'core',
  'config',
  'db',
  'adapters',
  'commands',
  'relay',
  'workflows',
  'activities',
  'api',
  'edge',
  'console',
  'start',
  'scripts',
  'sdk',
  'mcp',
  'cli',
];

// A reader takes in a list of some 12 names at a glance.
const mostInOneFolder = 12;

interface SourceFile {
  /** Relative to the root. */
  path: string;
  text: string;
  isProduct: boolean;
}

interface ImportedNames {
  from: string;
  to: string;
  names: string[];
}

const root = process.argv[2] ?? join(import.meta.dirname, '..');
const files = readFiles();
const imports = files.flatMap(importsOf);
const product = files.filter(({ isProduct }) => isProduct);

const crowded: { folder: string; count: number }[] = [];
print('Room', 'Files', 'Most in one folder, migrations aside');
for (const room of rooms) {
  const paths = product.map(({ path }) => path).filter((path) => path.startsWith(`${room}/`));
  if (paths.length === 0) continue;
  const folders = Object.entries(Object.groupBy(paths, dirname))
    .map(([folder, inside = []]) => ({ folder, count: inside.length }))
    // It grows with every release.
    .filter(({ folder }) => folder !== 'db/migrations');
  crowded.push(...folders.filter(({ count }) => count > mostInOneFolder));
  const fullest = folders.toSorted((one, other) => other.count - one.count)[0]!;
  print(room, String(paths.length), `${fullest.count} in ${fullest.folder}`);
}
const listed = crowded.map(({ folder, count }) => `${folder} ${count}`).join(', ');
console.log(`Folders with more than ${mostInOneFolder} files: ${listed === '' ? 'none' : listed}\n`);

const naming = product.filter(
  ({ path, text }) =>
    !path.startsWith('db/migrations/') && path !== 'scripts/house.ts' && /\bforward(Query|_query)\b/.test(text),
);
print('A field of a link', String(naming.length), 'files name forwardQuery, migrations aside');
const types = product.flatMap((file) => exportsOf(file, /^export (?:interface|type) (\w+)/gm));
const values = product.flatMap((file) =>
  exportsOf(file, /^export (?:async )?(?:const|let|class|function\*?|abstract class) (\w+)/gm),
);
print('Exported types', String(types.length), `no other file imports ${types.filter(isUnused).length}`);
print('Exported values', String(values.length), `no other file imports ${values.filter(isUnused).length}`);
// Calls that send a statement; procedures of tRPC, transaction control and the plumbing of connections aside.
const statement = /\.query(?:<[^()]*?>)?\((?!\s*(?:async )?\(|['`](?:begin|commit|rollback)\b)/g;
const byHand = product
  .filter(({ path }) => path !== 'scripts/house.ts' && !/^db\/(connection|migrations|notifications)\//.test(path))
  .map(({ path, text }) => ({
    room: path.split('/')[0]!,
    count: text.match(statement)?.length ?? 0,
  }))
  .filter(({ count }) => count > 0);
const byRoom = Object.entries(Object.groupBy(byHand, ({ room }) => room)).map(
  ([room, found = []]) => [room, found.reduce((sum, { count }) => sum + count, 0)] as const,
);
print(
  'SQL by hand',
  String(byRoom.reduce((sum, [, count]) => sum + count, 0)),
  byRoom.map(([room, count]) => `${room} ${count}`).join(', '),
);
const importers = product.map(({ path }) => importersOf(path).size);
print('Product files', String(product.length), `${importers.filter((count) => count === 1).length} have one importer`);

function readFiles(): SourceFile[] {
  return globSync('**/*.{ts,tsx,mts,mjs}', {
    cwd: root,
    exclude: ['**/node_modules', '**/.data', 'dist', '**/generated'],
  })
    .filter((path) => !path.endsWith('.d.ts') && !path.endsWith('.d.mts'))
    .map((path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
      isProduct: !path.includes('/') || rooms.includes(path.split('/')[0]!),
    }));
}

/** What a file imports or passes on from files of this repository; `*` stands for all names. */
function importsOf({ path, text }: SourceFile): ImportedNames[] {
  const statements = text.matchAll(/^(?:import|export) (?:type )?([^;'"]*?)(?: from )?'((?:\.{1,2}\/|#)[^']+)';/gm);
  const found = [...statements].map(([, clause = '', specifier = '']) => ({
    from: path,
    to: resolve(path, specifier),
    names: namesOf(clause),
  }));
  const dynamic = [...text.matchAll(/import\(\s*'((?:\.{1,2}\/|#)[^']+)'/g)].map(([, specifier = '']) => ({
    from: path,
    to: resolve(path, specifier),
    names: ['*'],
  }));
  return [...found, ...dynamic];
}

function resolve(importer: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return relative('.', normalize(join(dirname(importer), specifier)));
}

/** The names of an import's clause, as the imported file calls them. */
function namesOf(clause: string): string[] {
  const braces = /\{([^}]*)\}/.exec(clause);
  if (braces === null) return ['*'];
  return braces[1]!
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0]!,
    )
    .filter((name) => name !== '');
}

function exportsOf({ path, text }: SourceFile, pattern: RegExp): { path: string; name: string }[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => ({ path, name }));
}

function isUnused({ path, name }: { path: string; name: string }): boolean {
  return !imports.some(({ to, names }) => to === path && (names.includes(name) || names.includes('*')));
}

/** Product files that import a file. */
function importersOf(path: string): Set<string> {
  const ofProduct = new Set(product.map((file) => file.path));
  return new Set(imports.filter(({ from, to }) => to === path && ofProduct.has(from)).map(({ from }) => from));
}

function print(...columns: [string, string, string]): void {
  console.log(`${columns[0].padEnd(18)}${columns[1].padStart(6)}  ${columns[2]}`);
}
