import { describe, expect, test } from 'vitest';
import { createRowReader } from '#core/imports/rows/row-reader.ts';
import { importFormats } from '#core/imports/formats.ts';
import { listFields, readMapping, writeHeader } from '#core/imports/mapping.ts';

describe('readMapping', () => {
  test('tells what each column is read as, also a second name of a field', () => {
    const header = ['Link', 'Custom Link', 'Date created', 'Title', 'Destination URL', 'Engagements', 'Status'];
    expect(readMapping('bitly', header)).toEqual([
      'shortUrl',
      'shortUrl',
      'createdAt',
      'title',
      'destination',
      'ignored',
      'other',
    ]);
  });

  test('a second column of a name, and one without a name, are not read', () => {
    expect(readMapping('csv', ['url', 'slug', 'Slug', '', 'utm_source', 'rules'])).toEqual([
      'destination',
      'slug',
      'ignored',
      'ignored',
      'utmSource',
      'other',
    ]);
  });

  test.each(importFormats)('the columns that a header for all fields of %s has are read as these fields', (format) => {
    const fields = listFields(format);
    const header = fields.map((_field, index) => `x${index}`);
    const written = writeHeader(format, header, fields);
    expect(readMapping(format, written)).toEqual(fields);
    expect(fields).toContain('destination');
  });
});

describe('writeHeader', () => {
  test('columns that keep their use keep their names, and a field moves to another column', () => {
    const header = ['url', 'target', 'slug', 'rules', 'memo'];
    expect(readMapping('csv', header)).toEqual(['destination', 'destination', 'slug', 'other', 'ignored']);
    const written = writeHeader('csv', header, ['ignored', 'ignored', 'slug', 'other', 'destination']);
    expect(written.slice(2)).toEqual(['slug', 'rules', 'destination']);
    const read = createRowReader('csv', written);
    expect(read(['https://a.example/', 'https://b.example/', 's', '', 'https://c.example/']).body).toMatchObject({
      destination: { value: 'https://c.example/' },
      slug: 's',
    });
  });

  test('an ignored column is read by no format', () => {
    for (const format of importFormats) {
      const written = writeHeader(format, ['destination', 'url', 'long_url', 'tags'], Array(4).fill('ignored'));
      expect(readMapping(format, written)).toEqual(Array(4).fill('ignored'));
    }
  });
});
