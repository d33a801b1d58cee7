import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { createOwnAddresses, findLanAddress } from '#adapters/machine/own-addresses.ts';

const entry = (address: string, internal = false): NetworkInterfaceInfo =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo;

test('loopback addresses and addresses of the interfaces are our own in every notation', () => {
  let lan = '192.168.1.7';
  let nowMs = 0;
  const isOwn = createOwnAddresses({
    interfaces: () => ({ eth0: [entry(lan), entry('fd00::7'), entry('fe80::1')] }),
    now: () => nowMs,
  });
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    lan,
    '[fd00::7]',
  ])
    expect([host, isOwn(host)]).toEqual([host, true]);
  for (const host of ['192.168.1.8', '8.8.8.8', '[fd00::8]', 'localhost', '127.0.0.1.example', '[::1', '', '127.1'])
    expect([host, isOwn(host)]).toEqual([host, false]);
  // A change of network changes the address.
  lan = '10.0.0.7';
  expect(isOwn('10.0.0.7')).toBe(false);
  nowMs = 10_000;
  expect(isOwn('10.0.0.7')).toBe(true);
  expect(isOwn('192.168.1.7')).toBe(false);
});

test('the address on the network is a private IPv4 one before others, and never a container’s or link-local one', () => {
  const interfaces = {
    lo: [entry('127.0.0.1', true)],
    docker0: [entry('172.17.0.1')],
    eth1: [entry('169.254.3.4'), entry('fe80::1'), entry('fd00::7')],
    eth2: [entry('203.0.113.7')],
    wlan0: [entry('192.168.1.7')],
  };
  expect(findLanAddress(interfaces)).toBe('192.168.1.7');
  expect(findLanAddress({ ...interfaces, wlan0: [] })).toBe('203.0.113.7');
  expect(findLanAddress({ eth1: interfaces.eth1 })).toBe('fd00::7');
  expect(findLanAddress({ lo: interfaces.lo, docker0: interfaces.docker0 })).toBeUndefined();
});
