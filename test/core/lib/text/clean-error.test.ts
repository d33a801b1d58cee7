import { expect, test } from 'vitest';
import { cleanError, cleanText } from '#core/lib/text/clean-error.ts';

test('URLs, keys and e-mail addresses are taken out of a text', () => {
  expect(cleanText('cannot GET https://a.example/b?c=d, asked by x.y@example.com with wm_live_abc')).toBe(
    'cannot GET [url] asked by [e-mail] with [key]',
  );
  expect(cleanText('postgres://user:hush@host/db is away: whsec_AB+/=')).toBe('[url] is away: [key]');
});

test('keeps of an error and its causes only kind and origin', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED', hush: 'hush' });
  const error = Object.assign(new Error('no answer from https://example.com/hush', { cause }), {
    detail: 'hush',
    parameters: ['hush'],
    rawPacket: Buffer.from('hush'),
  });
  const clean = cleanError(error);
  expect(clean).toMatchObject({
    type: 'Error',
    message: 'no answer from [url]',
    cause: { message: 'connect ECONNREFUSED 127.0.0.1:5432', code: 'ECONNREFUSED' },
  });
  expect(clean.stack).toContain('clean-error.test.ts');
  expect(JSON.stringify(clean)).not.toContain('hush');
});

test('text that a parser quotes is left out of its message', () => {
  for (const text of ['{"a": hush', 'hush', '["hush", "hush" hush']) {
    try {
      JSON.parse(text);
    } catch (error) {
      expect(JSON.stringify(cleanError(error))).not.toContain('hush');
    }
  }
});

test('aggregate errors, circular causes and values that are no errors', () => {
  const circular = new Error('round');
  circular.cause = circular;
  expect(JSON.stringify(cleanError(circular)).match(/"message":"round"/g)).toHaveLength(5);
  const many = new AggregateError([new Error('one'), new Error('two')], 'many');
  expect(cleanError(many).errors?.map(({ message }) => message)).toEqual(['one', 'two']);
  expect(cleanError('https://example.com/hush')).toEqual({ type: 'string', message: '[url]' });
});
