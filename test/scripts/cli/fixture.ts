import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { runCli } from '#scripts/cli/run.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/stack.ts';

/** Exit code and output of a run of the tool. */
export interface Result {
  code: number;
  out: string;
  err: string;
}

/** Input of a run: a line on its standard input, more environment. */
export interface Given {
  input?: string;
  env?: NodeJS.ProcessEnv;
}

/** The tool on a database of a test file. */
export interface CliFixture {
  /** The database's URL and a data folder; known once the tests run. */
  readonly url: string;
  readonly dataDir: string;
  readonly db: Database;
  run(args: string[], given?: Given): Promise<Result>;
  /** Runs with `--json`, which must succeed. @returns what it printed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  json(args: string[], given?: Given): Promise<any>;
  /** Makes an organization by the tool. @returns `{organization, owner}`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  createOrganization(email?: string, plan?: string): Promise<any>;
}

/** Registers the set-up and the tear-down with the calling test file. */
export function createCliFixture(): CliFixture {
  let database: TestDatabase;
  let db: Database;
  let dataDir: string;
  let counter = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = createDatabase({ url: database.url });
    dataDir = mkdtempSync(join(tmpdir(), 'waymark-cli-'));
  });
  afterAll(async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const fixture: CliFixture = {
    get url() {
      return database.url;
    },
    get dataDir() {
      return dataDir;
    },
    get db() {
      return db;
    },
    async run(args, { input = '', env = {} } = {}) {
      const result = { out: '', err: '' };
      const code = await runCli(args, {
        env: { DATABASE_URL: database.url, WAYMARK_DATA_DIR: dataDir, ...env },
        stdin: Readable.from([input]),
        stdout: writableOf((text) => (result.out += text)),
        stderr: writableOf((text) => (result.err += text)),
      });
      return { code, ...result };
    },
    async json(args, given) {
      const { code, out, err } = await fixture.run([...args, '--json'], given);
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    },
    createOrganization(email = `owner${(counter += 1)}@example.com`, plan = 'premium') {
      const owner = ['--owner-email', email, '--owner-password', 'a good password'];
      return fixture.json(['org', 'create', '--name', 'Acme', '--plan', plan, ...owner]);
    },
  };
  return fixture;
}

function writableOf(take: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      take(text);
      done();
    },
  });
}
