import { describe, expect, test } from 'vitest';
import { refusesFrames } from '#core/links/frames.ts';

const embedder = new URL('https://go.example/slug');
const page = new URL('https://page.example/path');
const csp = (policy: string) => ({ 'content-security-policy': policy });

describe('refusesFrames', () => {
  test.each([
    [{}, false],
    [{ 'x-frame-options': 'DENY' }, true],
    [{ 'x-frame-options': 'SameOrigin' }, true],
    [{ 'x-frame-options': 'SAMEORIGIN, SAMEORIGIN' }, true],
    [{ 'x-frame-options': 'ALLOW-FROM https://go.example' }, false],
    [csp("default-src 'self'"), false],
    [csp("frame-ancestors 'none'"), true],
    [csp("default-src 'self'; Frame-Ancestors 'self'"), true],
    [csp('frame-ancestors'), true],
    [csp('frame-ancestors *'), false],
    [csp('frame-ancestors https:'), false],
    [csp('frame-ancestors http:'), false],
    [csp("frame-ancestors 'self' https://go.example"), false],
    [csp('frame-ancestors go.example'), false],
    [csp('frame-ancestors https://go.example:443'), false],
    [csp('frame-ancestors https://go.example:8443'), true],
    [csp('frame-ancestors *.example'), false],
    [csp('frame-ancestors *.go.example'), true],
    [csp('frame-ancestors https://other.example'), true],
    // All policies have to allow it.
    [csp("frame-ancestors *, frame-ancestors 'none'"), true],
    // X-Frame-Options does not count then.
    [{ ...csp('frame-ancestors *'), 'x-frame-options': 'DENY' }, false],
  ])('%j: %s', (headers, expected) => {
    expect(refusesFrames(headers, embedder, page)).toBe(expected);
  });

  test('a page of the same origin may be in a frame that allows its own', () => {
    const own = new URL('https://go.example/other');
    expect(refusesFrames({ 'x-frame-options': 'SAMEORIGIN' }, embedder, own)).toBe(false);
    expect(refusesFrames(csp("frame-ancestors 'self'"), embedder, own)).toBe(false);
  });
});
