import { defineConfig, type OxlintConfig } from 'oxlint';

type Override = NonNullable<OxlintConfig['overrides']>[number];
type ImportPattern = { message: string; regex?: string; group?: string[]; allowTypeImports?: boolean };

/** What each room may import, a room or one file of it, as `docs/architecture.md` draws it. Every other arrow is an error. */
const arrows: Record<string, { mayImport: string[]; mayImportTypes?: string[] }> = {
  core: { mayImport: ['core'] },
  config: { mayImport: ['config', 'core'] },
  db: { mayImport: ['db', 'core'] },
  adapters: { mayImport: ['adapters', 'core'] },
  commands: { mayImport: ['commands', 'db', 'core'] },
  workflows: { mayImport: ['workflows', 'core'], mayImportTypes: ['activities'] },
  activities: { mayImport: ['activities', 'commands', 'adapters', 'db', 'core'] },
  relay: { mayImport: ['relay', 'db', 'core', 'workflows'], mayImportTypes: ['adapters'] },
  api: { mayImport: ['api', 'commands', 'db', 'adapters', 'core', 'workflows'] },
  edge: { mayImport: ['edge', 'db', 'core', 'adapters/geoip.ts'] },
  console: { mayImport: ['console', 'core'], mayImportTypes: ['api'] },
  sdk: { mayImport: ['sdk'] },
  mcp: { mayImport: ['mcp'] },
  cli: { mayImport: ['cli'] },
};
const rooms = [...Object.keys(arrows), 'bench', 'scripts', 'start', 'test'];
const outsideMessage = 'Only adapters/ reach the outside world.';

function restrictImports(room: string): Override {
  const { mayImport, mayImportTypes = [] } = arrows[room]!;
  const allowed = new Set([...mayImport, ...mayImportTypes].map((path) => path.split('/')[0]));
  const refused = rooms.filter((other) => !allowed.has(other));
  const patterns: ImportPattern[] = [
    {
      regex: `^(\\.\\./.*\\.ts$|#(${refused.join('|')})/)`,
      message: `${room}/ imports only ${mayImport.join(', ')}, by #room/… (docs/architecture.md).`,
    },
  ];
  if (mayImportTypes.length > 0) {
    const regex = `^#(${mayImportTypes.join('|')})/`;
    patterns.push({ regex, allowTypeImports: true, message: `${room}/ imports only types from there.` });
  }
  for (const path of mayImport.filter((name) => name.includes('/'))) {
    const group = [`#${path.split('/')[0]}/**`, `!#${path}`];
    patterns.push({ group, message: `${room}/ imports nothing else from there than ${path}.` });
  }
  if (room !== 'adapters') {
    const regex = '^(undici|nodemailer|node:dns(/promises)?|@google-cloud/web-risk)$';
    patterns.push({ regex, message: outsideMessage });
  }
  return { files: [`${room}/**`], rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'node', 'oxc', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-cycle': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'prefer-const': 'error',
    'no-var': 'error',
    'no-shadow': 'off',
    'no-await-in-loop': 'off',
    'require-await': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/no-array-sort': 'error',
    'import/no-unassigned-import': 'off',
    'promise/always-return': 'off',
    'no-underscore-dangle': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'vitest/no-conditional-tests': 'off',
    'vitest/expect-expect': 'error',
    'vitest/no-focused-tests': 'error',
    'vitest/no-disabled-tests': 'error',
    'import/no-named-as-default-member': 'off',
    'vitest/no-conditional-expect': 'off',
    'typescript/consistent-return': 'off',
    'typescript/require-array-sort-compare': 'off',
    'import/no-named-as-default': 'off',
    'oxc/no-map-spread': 'off',
    'oxc/no-async-endpoint-handlers': 'off',
    'typescript/unbound-method': 'off',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
  },
  ignorePatterns: [
    'dist',
    'node_modules',
    '.data',
    'test/**/histories',
    'test/clients/programs',
    'sdk/typescript/src/generated',
  ],
  overrides: [
    ...Object.keys(arrows).map((room) => restrictImports(room)),
    {
      files: Object.keys(arrows)
        .filter((room) => !['adapters', 'cli', 'console', 'sdk', 'mcp'].includes(room))
        .map((room) => `${room}/**`),
      rules: { 'no-restricted-globals': ['error', { name: 'fetch', message: outsideMessage }] },
    },
    {
      files: ['core/**'],
      // The console takes core to browsers. `import { z }` brings all of zod along: 92 kB gzip measured, 25 kB by `import * as z`.
      rules: {
        'unicorn/import-style': ['error', { extendDefaultStyles: false, styles: { zod: { namespace: true } } }],
      },
    },
    {
      files: ['console/**'],
      plugins: ['typescript', 'import', 'unicorn', 'promise', 'oxc', 'react', 'jsx-a11y'],
      rules: {
        'react/react-in-jsx-scope': 'off',
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        // Dialogs, sign-in and palette begin in their first field, as the design has it.
        'jsx-a11y/no-autofocus': 'off',
        // Roles say more than tags: a status is no output of a calculation, a listbox no select.
        'jsx-a11y/prefer-tag-over-role': 'off',
      },
    },
    {
      files: ['test/**/*.ts', 'bench/**/*.ts', 'scripts/**'],
      rules: { 'no-console': 'off', 'typescript/no-non-null-assertion': 'off' },
    },
  ],
});
