import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { createMailer } from '#adapters/mail.ts';
import { keepPrivate } from '#adapters/machine/private-files.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { makeFolder } from '#test/support/folders.ts';

let folder: string;
beforeEach(() => void (folder = makeFolder()));

const at = (...names: string[]): string => join(folder, ...names);
const mode = (...names: string[]): string => (statSync(at(...names)).mode & 0o777).toString(8);
const log = {
  warn(_details: object, message: string) {
    throw new Error(message);
  },
};

test('a folder becomes private with its files, but the target of a symbolic link does not', () => {
  mkdirSync(at('open', 'inner'), { recursive: true });
  writeFileSync(at('open', 'inner', 'file'), '');
  writeFileSync(at('elsewhere'), '');
  symlinkSync(at('elsewhere'), at('open', 'link'));
  for (const [name, wide] of [
    ['open', 0o755],
    ['open/inner', 0o777],
    ['open/inner/file', 0o644],
    ['elsewhere', 0o644],
  ] as const)
    chmodSync(at(name), wide);
  keepPrivate(at('open'), log);
  expect([mode('open'), mode('open', 'inner'), mode('open', 'inner', 'file'), mode('elsewhere')]).toEqual([
    '700',
    '700',
    '600',
    '644',
  ]);
  keepPrivate(at('missing'), log);
});

test('mails and uploads are written readable by the owner alone', async () => {
  const silent = pino({ level: 'silent' });
  const mailer = createMailer({ from: 'a@example.com', folder: at('mail'), log: silent });
  await mailer.send({ to: 'b@example.com', subject: 'S', text: 'T', messageId: 'm@example.com' });
  await createFolderStorage(at('files')).put('qr-code/a.png', Buffer.from('x'), 'image/png');
  expect([mode('mail'), mode('files'), mode('files', 'qr-code'), mode('files', 'qr-code', 'a.png')]).toEqual([
    '700',
    '700',
    '700',
    '600',
  ]);
});
