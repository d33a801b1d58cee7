import { describe, expect, test } from 'vitest';
import { findUploadProblem, formatLabels, kindOf } from '#console/organize/files/upload-check.ts';
import { fileKinds } from '#core/files/kinds.ts';

describe('files before their upload', () => {
  test('empty files, other types and files above the bound of their use are refused', () => {
    const { maxBytes } = fileKinds['qr-code'];
    expect(findUploadProblem('qr-code', { size: maxBytes, type: 'image/svg+xml' })).toBeUndefined();
    expect(findUploadProblem('qr-code', { size: maxBytes + 1, type: 'image/svg+xml' })).toBe('tooLarge');
    expect(findUploadProblem('meta-tag', { size: 10, type: 'image/svg+xml' })).toBe('wrongType');
    expect(findUploadProblem('meta-tag', { size: 0, type: 'image/png' })).toBe('isEmpty');
    expect(formatLabels('meta-tag')).toBe('PNG, JPG, WebP');
  });

  test('the use of a stored file is read from its key', () => {
    expect(kindOf({ key: 'qr-code/abc.svg' })).toBe('qr-code');
    expect(kindOf({ key: 'toString/abc.svg' })).toBeUndefined();
  });
});
