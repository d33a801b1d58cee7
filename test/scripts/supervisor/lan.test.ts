import { expect, test } from 'vitest';
import { lanEnvironment } from '#scripts/supervisor/lan.ts';

test('--lan listens on all addresses and shows the one on the network', () => {
  expect(lanEnvironment({ PORT: ' 4000 ', HOST: '' }, '192.168.1.7')).toEqual({
    HOST: '0.0.0.0',
    PLATFORM_ADDRESS: '192.168.1.7',
    BASE_URL: 'http://192.168.1.7:4000',
  });
  expect(lanEnvironment({}, 'fd00::7')).toEqual({
    HOST: '::',
    PLATFORM_ADDRESS: 'fd00::7',
    BASE_URL: 'http://[fd00::7]:3000',
  });
});

test('--lan keeps settings that are set already', () => {
  const env = { HOST: '192.168.1.9', PLATFORM_ADDRESS: '192.168.1.9', BASE_URL: 'https://api.example' };
  expect(lanEnvironment({ ...env, PLATFORM_DOMAIN: 'localhost:3001' }, '192.168.1.7')).toEqual(env);
});

test('--lan refuses a machine without a network and a platform domain of another name', () => {
  expect(() => lanEnvironment({}, undefined)).toThrow('--lan: this machine has no address on a network.');
  expect(() => lanEnvironment({ PLATFORM_DOMAIN: 'go.example.com' }, '192.168.1.7')).toThrow(
    /--lan: PLATFORM_DOMAIN is go\.example\.com/,
  );
  expect(() => lanEnvironment({ EDGE_URL: 'https://go.example.com' }, '192.168.1.7')).toThrow(
    /--lan: EDGE_URL is https:\/\/go\.example\.com/,
  );
});
