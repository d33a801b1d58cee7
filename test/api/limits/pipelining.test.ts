// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';

const mebibyte = 1_024 * 1_024;
const api = useOwnTestApi();

// In a process of their own, whose memory does not count. They write 64 KiB again when the API has taken the last ones.
const clients = `
  const { connect } = require('node:net');
  const flood = process.env.ONE.repeat(Math.ceil(65_536 / process.env.ONE.length));
  const sockets = Array.from({ length: 400 }, () => connect(Number(process.env.PORT), '127.0.0.1').on('error', () => {}).pause());
  const write = () => sockets.filter(({ writableLength }) => writableLength === 0).forEach((socket) => socket.write(flood));
  setInterval(write, 10);
  setTimeout(() => console.log('flooded'), 500);
`;

test(
  '400 clients that pipeline and do not read take less than 60 MB of an API, which answers others',
  { tags: 'nightly' },
  async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const bytes = (): number => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const list = () => fetch(`${address}/tag/list`, { headers: { 'x-api-key': api.organization.key } });
    expect((await list()).status).toBe(200);
    const before = bytes();
    const flooding = spawn(process.execPath, ['-e', clients], {
      env: { PORT: new URL(address).port, ONE: 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(flooding.stdout, 'data');
    let most = 0;
    for (let turn = 0; turn < 5; turn += 1) {
      // Time for calls to pile up.
      await setTimeout(100);
      most = Math.max(most, bytes());
      expect((await list()).status).toBe(200);
    }
    const ended = once(flooding, 'exit');
    flooding.kill('SIGKILL');
    await ended;
    expect(most - before).toBeLessThan(60 * mebibyte);
  },
);
