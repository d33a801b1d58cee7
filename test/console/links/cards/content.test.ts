import { describe, expect, it } from 'vitest';
import type { LinkPreview } from '#console/api/links/link-preview.ts';
import { contentOf } from '#console/links/editor/cards/content.ts';
import { cut, cutters } from '#console/links/editor/cards/networks.ts';

const location = 'https://example.com/spring';
const page: LinkPreview = {
  url: location,
  finalUrl: 'https://shop.example/spring',
  status: 200,
  title: 'Spring',
  description: 'All of it',
  image: 'data:image/jpeg;base64,AA==',
  isFrameable: true,
  problem: null,
};

describe('what networks show of a link', () => {
  it('is its own card', () => {
    const metaTags = { title: 'Own', description: null, imageKey: 'file' };
    expect(contentOf({ kind: 'preview', metaTags, location, url: location }, 'sho.rt', page)).toEqual({
      title: 'Own',
      description: '',
      image: { fileId: 'file' },
      host: 'sho.rt',
      source: 'own',
    });
  });

  it('has the host of the destination for a title that is missing', () => {
    const metaTags = { title: null, description: 'x', imageKey: null };
    expect(contentOf({ kind: 'preview', metaTags, location, url: location }, 'sho.rt', page).title).toBe('example.com');
  });

  it('is what the end of the redirects says where the link has no card', () => {
    expect(contentOf({ kind: 'redirect', location, url: location }, 'sho.rt', page)).toEqual({
      title: 'Spring',
      description: 'All of it',
      image: { url: page.image },
      host: 'shop.example',
      source: 'destination',
    });
  });

  it.each([
    ['was not read yet', undefined],
    ['did not answer', { ...page, problem: 'timeout' as const, title: null }],
  ])('is a host where the destination %s', (_why, seen) => {
    expect(contentOf({ kind: 'redirect', location, url: location }, 'sho.rt', seen)).toMatchObject({
      title: 'example.com',
      image: null,
      source: 'unread',
    });
  });

  it('tells nothing of the destination where the edge answers with a page of its own', () => {
    const content = contentOf({ kind: 'gone', endedAtMs: 0 }, 'sho.rt', page);
    expect(content).toEqual({ title: 'sho.rt', description: '', image: null, host: 'sho.rt', source: 'hidden' });
  });
});

describe('texts of cards', () => {
  it('are cut by characters, as people count them', () => {
    expect(cut('Grüße 👋🏽', 5)).toBe('Grüße…');
    expect(cut('short', 5)).toBe('short');
  });

  it('name the networks that cut them', () => {
    expect(cutters('a'.repeat(70), 'longestTitle')).toEqual(['WhatsApp']);
    expect(cutters('a'.repeat(120), 'longestDescription')).toEqual(['Facebook', 'WhatsApp']);
    expect(cutters('a', 'longestTitle')).toEqual([]);
  });
});
