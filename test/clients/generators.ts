import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#scripts/lib/paths.ts';
import { copy, type Command, goModule, inCache, installedNpm, pythonEnvironment, run } from './tools.ts';

/** A generator of clients, and the program that calls the API by its client. */
export interface Generator {
  /** Name for people: the language, and the generator where a language has several. */
  name: string;
  /** What a machine must have to install the generator. */
  needs: string;
  /** Whether the generator is there. */
  isInstalled(): boolean;
  /** Installs the generator into the cache folder; a few minutes. @throws Error when a tool of the machine is missing. */
  install(): void;
  /** Generates a client of `spec` in `folder` and compiles it strictly. @returns the command that makes the calls. */
  build(folder: string, spec: string): Command;
}

const versions = {
  fetch: '7.13.0',
  openapiFetch: '0.17.0',
  python: '0.29.1',
  go: '2.8.2',
  ogen: '1.24.0',
  openapiGenerator: '7.25.0',
};
const mypy = 'mypy==2.4.1';
const bin = join(root, 'node_modules/.bin');
const runNode = [process.execPath, '--disable-warning=ExperimentalWarning'] as const;
const npmNeeds = 'npm and its registry';
const pythonNeeds = 'Python 3 with venv and pip';
const goNeeds = 'Go 1.25 or newer';
const javaNeeds = 'Java 17 and Maven';

/** Compiles a program beside its client, as strictly as the compiler can. */
function compileStrictly(folder: string, program: string): void {
  const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  run([join(bin, 'tsc'), '--ignoreConfig', ...strict, '--allowImportingTsExtensions', ...types, program], folder);
}

const oazapfts: Generator = {
  name: 'TypeScript',
  needs: '',
  isInstalled: () => true,
  install: () => undefined,
  build(folder, spec) {
    copy(folder, 'calls.ts', 'tsconfig.json');
    run([join(bin, 'oazapfts'), spec, 'client.ts'], folder);
    run([join(bin, 'tsc'), '-p', folder], folder);
    return [...runNode, join(folder, 'calls.ts')];
  },
};

const openapiTypescript = installedNpm(`openapi-typescript-${versions.fetch}`, 'openapi-fetch', [
  `openapi-typescript@${versions.fetch}`,
  `openapi-fetch@${versions.openapiFetch}`,
  'typescript@5.9.3',
]);
const typescriptFetch: Generator = {
  name: 'TypeScript-fetch',
  needs: npmNeeds,
  ...openapiTypescript,
  build(folder, spec) {
    copy(folder, 'calls-fetch.ts');
    // Where the program finds openapi-fetch.
    symlinkSync(openapiTypescript.modules, join(folder, 'node_modules'));
    run([join(openapiTypescript.modules, '.bin/openapi-typescript'), spec, '-o', 'schema.ts'], folder);
    compileStrictly(folder, 'calls-fetch.ts');
    return [...runNode, join(folder, 'calls-fetch.ts')];
  },
};

const openapiPythonClient = pythonEnvironment(`openapi-python-client-${versions.python}`, 'openapi-python-client', [
  `openapi-python-client==${versions.python}`,
  mypy,
]);
const python: Generator = {
  name: 'Python',
  needs: pythonNeeds,
  ...openapiPythonClient,
  build(folder, spec) {
    const { bin: ownBin } = openapiPythonClient;
    copy(folder, 'calls.py', 'python.yaml', 'mypy.ini');
    const command = [join(ownBin, 'openapi-python-client'), 'generate', '--path', spec, '--output-path', 'waymark'];
    // The generator formats its files by ruff, which is beside it.
    run([...command, '--meta', 'none', '--config', 'python.yaml', '--fail-on-warning'] as never, folder, ownBin);
    run([join(ownBin, 'mypy'), 'waymark', 'calls.py'], folder);
    return [join(ownBin, 'python'), join(folder, 'calls.py')];
  },
};

const oapiCodegen = goModule('oapi-codegen', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen`, versions.go);
const go: Generator = {
  name: 'Go',
  needs: goNeeds,
  ...oapiCodegen,
  build(folder, spec) {
    copy(folder, 'calls.go', 'go.mod.txt');
    mkdirSync(join(folder, 'waymark'));
    const out = join('waymark', 'client.go');
    run([oapiCodegen.program, '-generate', 'types,client', '-package', 'waymark', '-o', out, spec], folder);
    return buildGo(folder);
  },
};

const ogen = goModule('ogen', 'github.com/ogen-go/ogen/cmd/ogen', versions.ogen);
const goOgen: Generator = {
  name: 'Go-ogen',
  needs: goNeeds,
  ...ogen,
  build(folder, spec) {
    copy(folder, 'calls-ogen.go', 'ogen.yml');
    cpSync(join(import.meta.dirname, 'programs/go-ogen.mod.txt'), join(folder, 'go.mod'));
    run([ogen.program, '--config', 'ogen.yml', '--target', 'waymark', '--package', 'waymark', '--clean', spec], folder);
    return buildGo(folder);
  },
};

/** Compiles the Go program of a folder, with the modules that it needs. */
function buildGo(folder: string): Command {
  run(['go', 'mod', 'tidy'], folder);
  run(['go', 'vet', './...'], folder);
  run(['go', 'build', '-o', 'calls', '.'], folder);
  return [join(folder, 'calls')];
}

const jar = inCache(`openapi-generator-cli-${versions.openapiGenerator}.jar`);
/** Downloads openapi-generator by Maven, as a program of its own. */
const openapiGenerator = {
  isInstalled: () => existsSync(jar),
  install() {
    const artifact = `org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`;
    const folder = inCache('maven');
    run(['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], root);
    copyFileSync(join(folder, `openapi-generator-cli-${versions.openapiGenerator}.jar`), jar);
  },
};

/** Generates a client by openapi-generator, without its tests and pages. */
function generate(language: string, folder: string, spec: string, out: string, properties: string): void {
  const alone = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const own = `--additional-properties=${properties}`;
  run(
    ['java', '-jar', jar, 'generate', '-i', spec, '-g', language, '-o', out, own, `--global-property=${alone}`],
    folder,
  );
}

const pydantic = pythonEnvironment(`openapi-generator-python-${versions.openapiGenerator}`, 'mypy', [
  'pydantic==2.12.5',
  'urllib3==2.7.0',
  'python-dateutil==2.9.0.post0',
  'types-python-dateutil',
  mypy,
]);
const openapiGeneratorPython: Generator = {
  name: 'Python-openapi-generator',
  needs: `${pythonNeeds}, ${javaNeeds}`,
  isInstalled: () => openapiGenerator.isInstalled() && pydantic.isInstalled(),
  install() {
    if (!openapiGenerator.isInstalled()) openapiGenerator.install();
    pydantic.install();
  },
  build(folder, spec) {
    copy(folder, 'calls-openapi-generator.py', 'mypy-openapi-generator.ini');
    generate('python', folder, spec, '.', 'packageName=waymark');
    const config = ['--config-file', 'mypy-openapi-generator.ini'];
    run([join(pydantic.bin, 'mypy'), ...config, 'calls-openapi-generator.py'], folder);
    return [join(pydantic.bin, 'python'), join(folder, 'calls-openapi-generator.py')];
  },
};

const openapiGeneratorGo: Generator = {
  name: 'Go-openapi-generator',
  needs: `${goNeeds}, ${javaNeeds}`,
  ...openapiGenerator,
  build(folder, spec) {
    copy(folder, 'calls-openapi-generator.go');
    cpSync(join(import.meta.dirname, 'programs/go-openapi-generator.mod.txt'), join(folder, 'go.mod'));
    generate('go', folder, spec, 'waymark', 'packageName=waymark,disallowAdditionalPropertiesIfNotPresent=false');
    // The client is a package of the program's module.
    for (const name of ['go.mod', 'go.sum']) rmSync(join(folder, 'waymark', name));
    return buildGo(folder);
  },
};

const openapiGeneratorJava: Generator = {
  name: 'Java',
  needs: javaNeeds,
  ...openapiGenerator,
  build(folder, spec) {
    generate('java', folder, spec, '.', 'openApiNullable=false,disallowAdditionalPropertiesIfNotPresent=false');
    copy(join(folder, 'src/main/java'), 'Calls.java');
    const libraries = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'];
    run(['mvn', '-q', '-B', '-DskipTests', 'compile', ...libraries], folder);
    return ['java', '-cp', `${join(folder, 'target/classes')}:${join(folder, 'lib')}/*`, 'Calls'];
  },
};

/** Every generator that `npm run clients` tries. */
export const generators: readonly Generator[] = [
  oazapfts,
  typescriptFetch,
  python,
  openapiGeneratorPython,
  go,
  goOgen,
  openapiGeneratorGo,
  openapiGeneratorJava,
];
