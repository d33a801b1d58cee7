// @module-tag process

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, TestRunner } from 'vitest';
import { loadConfig } from '#config/load.ts';
import { launchOf } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';
import { readFromRoot, settingNames } from './settings.ts';

const roles = ['api', 'edge', 'worker'] as const;
// Where tests with the tag are left out, this file starts no process.
const hasSystemd = TestRunner.matchesTags(['process']) && spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the units of systemd', () => {
  test.each(roles)('the unit of %s starts an existing file as npm start does, with settings that exist', (role) => {
    const unit = readFromRoot(`deploy/systemd/waymark-${role}.service`);
    const [, flag, script] = /^ExecStart=\S+\/node (\S+) (\S+)$/m.exec(unit)!;
    expect(launchOf(role).nodeArgs).toContain(flag);
    expect(existsSync(join(root, script!))).toBe(true);
    const named = /^Environment=(.*)$/m.exec(unit)![1]!.split(' ');
    const [, file] = /^EnvironmentFile=\/etc\/waymark\/(.*)$/m.exec(unit)!;
    const lines = readFromRoot(`deploy/systemd/${file!}.example`).split('\n');
    const settings = [...named, ...lines.filter((line) => /^[A-Z]/.test(line))].map((line) => line.split('=')[0]!);
    expect(settings.filter((name) => !settingNames.has(name))).toEqual([]);
    // Strangers reach the edge alone.
    expect(role === 'edge' && settings.includes('SECRET_KEY')).toBe(false);
    expect(unit).toContain(`StateDirectory=${/WAYMARK_DATA_DIR=\/var\/lib\/(.*)/.exec(lines.join('\n'))![1]!}\n`);
  });

  test('the shell reads the optional settings of the example, as the documentation loads them', () => {
    const text = readFromRoot('deploy/systemd/env.example');
    const { MAIL_FROM: sender } = loadConfig({ MAIL_FROM: /^# MAIL_FROM='(.*)'$/m.exec(text)![1] });
    const script = `set -eua; ${text.replaceAll(/^# (?=[A-Z_]+=)/gm, '')}printf %s "$MAIL_FROM"`;
    expect(spawnSync('sh', ['-c', script], { encoding: 'utf8' })).toMatchObject({ stdout: sender, stderr: '' });
  });

  test.skipIf(!hasSystemd)('systemd understands every line of the units', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-units-'));
    try {
      const files = roles.map((role) => {
        const file = join(folder, `waymark-${role}.service`);
        // The program and the users of the documentation are not on this machine.
        const unit = readFromRoot(`deploy/systemd/waymark-${role}.service`);
        writeFileSync(file, unit.replace(/(?<=ExecStart=)\S+/, process.execPath).replace(/^User=.*\n/m, ''));
        return file;
      });
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
      expect(stderr.split('\n').filter((line) => line.includes('waymark-'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
