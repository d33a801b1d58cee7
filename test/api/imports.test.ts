// @module-tag process
import { expect, it } from 'vitest';
import { loadedModules } from '#test/support/loaded-modules.ts';

// Large libraries that the API loads at their first use (`bench small`).
const late = [
  '@google-cloud',
  '@grpc',
  '@modelcontextprotocol',
  '@scalar',
  '@simplewebauthn',
  '@temporalio',
  'google-gax',
  'nodemailer',
  'oidc-provider',
  'openid-client',
  'sharp',
  'undici',
];

it('the API starts without the libraries that it loads at their first use', () => {
  const urls = loadedModules('start/api.ts');
  expect(urls.some((url) => url.endsWith('/start/api.ts'))).toBe(true);
  expect(urls.filter((url) => late.some((name) => url.includes(`/node_modules/${name}/`)))).toEqual([]);
});
