import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createImages } from '#adapters/images/images.ts';
import { cleanSvg } from '#adapters/images/svg.ts';
import { ImageError, type ImageFormat } from '#core/files/kinds.ts';

const images = createImages();
const any: ImageFormat[] = ['png', 'jpeg', 'webp', 'svg'];
const svg = (content: string, attributes = ''): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="10" height="10" ${attributes}>${content}</svg>`,
  );
const cleaned = (content: string, attributes?: string): string => cleanSvg(svg(content, attributes)).toString();
const picture = (width = 40, height = 20) => sharp({ create: { width, height, channels: 3, background: '#cc3300' } });

describe('raster images', () => {
  it('a raster image is drawn again without metadata, turned as its orientation says', async () => {
    const withMetadata = await picture()
      .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'a secret place' } } })
      .jpeg()
      .toBuffer();
    expect(withMetadata.includes('a secret place')).toBe(true);
    const { bytes, format } = await images.clean(withMetadata, any);
    const metadata = await sharp(bytes).metadata();
    expect(format).toBe('jpeg');
    expect(bytes.includes('a secret place')).toBe(false);
    expect(metadata).toMatchObject({ format: 'jpeg', width: 20, height: 40 });
    expect(metadata.exif).toBeUndefined();
  });

  it('transparent images come as PNG and keep their transparency', async () => {
    const clear = sharp({ create: { width: 8, height: 8, channels: 4, background: '#00000000' } });
    for (const made of [await clear.png().toBuffer(), await clear.webp().toBuffer()]) {
      const image = await images.clean(made, any);
      expect(image).toMatchObject({ format: 'png', size: { width: 8, height: 8 } });
      expect(await sharp(image.bytes).stats()).toMatchObject({ isOpaque: false });
    }
  });

  it('a raster image loses the bytes behind its picture', async () => {
    const made = await picture().png().toBuffer();
    const { bytes } = await images.clean(Buffer.concat([made, Buffer.from('<script>alert(1)</script>')]), any);
    expect(bytes.includes('script')).toBe(false);
  });

  it('an animation is reduced to its first picture', async () => {
    const other = await picture(10, 10).negate().png().toBuffer();
    const frames = await sharp([await picture(10, 10).png().toBuffer(), other], {
      join: { animated: true },
    })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).toBe(2);
    const { bytes } = await images.clean(frames, any);
    expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
  });

  it('an image with too many pixels, cut short, or of another kind is refused', { tags: 'slow' }, async () => {
    const bomb = await picture(6_000, 5_000).png({ compressionLevel: 9 }).toBuffer();
    expect(bomb.length).toBeLessThan(500_000);
    await expect(images.clean(bomb, any)).rejects.toThrow(ImageError);
    const whole = await picture().png().toBuffer();
    await expect(images.clean(whole.subarray(0, 60), any)).rejects.toThrow(ImageError);
    await expect(images.clean(await picture().gif().toBuffer(), any)).rejects.toThrow('PNG, JPG, WebP, SVG');
    await expect(images.clean(whole, ['jpeg'])).rejects.toThrow('must be an image: JPG');
    await expect(images.clean(Buffer.from('PK\u0003\u0004'), any)).rejects.toThrow(ImageError);
  });
});

describe('SVG images', () => {
  it('an SVG image keeps its drawing elements byte for byte', () => {
    const content =
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient></defs>' +
      '<title>A &amp; B</title><g fill="url(#a)" transform="scale(2)"><path d="M0 0h10"/><use xlink:href="#b"/></g>' +
      '<style>.c{fill:url(#a)}</style><image href="data:image/png;base64,iVBORw0KGgo="/><image href="data:image/jpg;base64,/9j/"/><text>x</text>';
    expect(cleaned(content)).toContain(content);
  });

  it.each([
    ['a script', '<script>alert(1)</script>', 'alert'],
    ['a script of another name space', '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>', 'alert'],
    ['a handler', '<rect onclick="alert(1)" OnLoad="alert(1)"/>', 'alert'],
    ['foreign content', '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">gone</p></foreignObject>', 'gone'],
    ['a picture elsewhere', '<image href="https://evil.example/a.png"/>', 'evil'],
    ['a picture of a scheme without slashes', '<image xlink:href=" //evil.example/a.png"/>', 'evil'],
    ['a picture that is SVG itself', '<image href="data:image/svg+xml;base64,ZXZpbA=="/>', 'ZXZpbA'],
    ['a part of another file', '<use href="https://evil.example/a.svg#b"/>', 'evil'],
    ['a link', '<a href="javascript:evil()"><text>x</text></a>', 'evil'],
    ['a paint elsewhere', '<rect fill="url(https://evil.example/a#b)"/>', 'evil'],
    ['a style elsewhere', '<rect style="fill:url(&quot;//evil.example/a&quot;)"/>', 'evil'],
    ['a style sheet elsewhere', '<style>@import "https://evil.example/a.css"; rect{fill:red}</style>', 'evil'],
    ['a style that hides its name', String.raw`<style>rect{fill:u\72l(//evil.example/a)}</style>`, 'evil'],
    ['a style that is not closed', '<style>rect{fill:url(//evil.example/a</style>', 'evil'],
    ['a style in CDATA', '<style><![CDATA[@font-face{src:url(//evil.example/a)}]]></style>', 'evil'],
    ['an image set', '<style>rect{fill:image-set("//evil.example/a" 1x)}</style>', 'evil'],
    ['an animation of a reference', '<a><set attributeName="xlink:href" to="javascript:evil()"/></a>', 'evil'],
    ['an animation of a handler', '<rect><animate attributeName="onload" values="evil()"/></rect>', 'evil'],
    ['a base', '<g xml:base="https://evil.example/"/>', 'evil'],
    ['a processing instruction', '<?xml-stylesheet href="https://evil.example/a.css"?>', 'evil'],
    ['a comment', '<!-- evil -->', 'evil'],
    ['an editor’s notes', '<metadata>evil</metadata><sodipodi:a xmlns:sodipodi="urn:x" b="evil"/>', 'evil'],
  ])('lose %s', (_what, content, gone) => {
    const result = cleaned(`${content}<circle r="1"/>`);
    expect(result).not.toContain(gone);
    expect(result).toContain('<circle r="1"/>');
  });

  it.each(['\xff\xfe<\0s\0', '\xfe\xff\0<\0s'])('an SVG image in UTF-16 is told to be in UTF-8: %j', async (text) => {
    await expect(images.clean(Buffer.from(text, 'latin1'), any)).rejects.toThrow('must be in UTF-8');
    await expect(images.clean(Buffer.from(text, 'latin1'), ['png'])).rejects.toThrow('must be an image: PNG');
  });

  it('an SVG image keeps the harmless rest of a style sheet', () => {
    expect(cleaned('<style>@import "//evil.example/a"; rect{fill:red}</style><rect/>')).toContain('rect{fill:red}');
  });

  it.each([
    ['no XML', Buffer.from('hello <svg>')],
    ['no well-formed XML', svg('<rect><path></rect>')],
    ['an entity left open', svg('<rect a="&x;"/>')],
    ['a page', Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>')],
    ['nothing', svg('')],
    ['nothing but scripts', svg('<script/><image href="https://evil.example"/>')],
    ['a second document type', Buffer.concat([Buffer.from('<!DOCTYPE svg><!DOCTYPE svg>'), svg('<rect/>')])],
    [
      'a document type that names a file',
      Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hosts">]>'), svg('<text>&a;</text>')]),
    ],
    [
      'entities that grow',
      Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'), svg('<text>&b;</text>')]),
    ],
    ['no UTF-8', Buffer.concat([svg('<rect/>'), Buffer.of(0xff)])],
    ['elements that nest without end', svg(`${'<g>'.repeat(50_000)}<rect/>${'</g>'.repeat(50_000)}`)],
    ['more elements than anybody draws', svg('<rect/>'.repeat(25_000))],
    ['more forbidden elements than can be removed', svg(`<rect/>${'<x/>'.repeat(21_000)}`)],
    ['more comments than can be removed', svg(`<rect/>${'<!---->'.repeat(21_000)}`)],
    ['more filters than anybody uses', svg(`<filter>${'<feTurbulence/>'.repeat(200)}</filter><rect/>`)],
  ])('are refused: %s', (_what, bytes) => {
    expect(() => cleanSvg(bytes)).toThrow(ImageError);
  });

  it('an SVG image is refused when a few lines draw millions of elements', async () => {
    const level = (index: number, show: (id: number) => string): string =>
      `<g id="g${index}">${show(index - 1).repeat(10)}</g>`;
    const uses = Array.from({ length: 8 }, (_, index) => level(index + 1, (id) => `<use xlink:href="#g${id}"/>`));
    await expect(images.clean(svg(`<rect id="g0"/>${uses.join('')}`), any)).rejects.toThrow(ImageError);
    const patterns = Array.from(
      { length: 8 },
      (_, id) => `<pattern id="p${id + 1}">${`<rect class="c${id}"/>`.repeat(10)}</pattern>`,
    );
    const style = Array.from({ length: 9 }, (_, id) => `.c${id}{fill:url(#p${id})}`).join('');
    await expect(
      images.clean(svg(`<style>${style}</style>${patterns.join('')}<rect class="c8"/>`), any),
    ).rejects.toThrow(ImageError);
  });

  it('an SVG image may reference itself, which draws nothing', async () => {
    const { format } = await images.clean(svg('<g id="a"><rect width="5" height="5"/><use href="#a"/></g>'), any);
    expect(format).toBe('svg');
  });

  it('an SVG image with prefixed names loses the prefix', async () => {
    const prefixed =
      '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g s:fill="red"><s:rect width="1" height="1"/></s:g></s:svg>';
    const { bytes } = await images.clean(Buffer.from(prefixed), any);
    expect(bytes.toString()).toContain('<g><rect width="1" height="1"/></g></svg>');
  });

  it(
    'an SVG image may begin with a byte order mark, a declaration, white space or a document type',
    { tags: ['slow', 'nightly'] },
    async () => {
      const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
      const type =
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n';
      for (const prefix of ['\uFEFF', declaration, ' \n', `${declaration}${type}`, '<!DOCTYPE svg>']) {
        const { bytes, format } = await images.clean(
          Buffer.concat([Buffer.from(prefix), svg('<rect width="5" height="5"/>')]),
          any,
        );
        expect(format).toBe('svg');
        expect(bytes.toString()).not.toContain('DOCTYPE');
      }
    },
  );
});
