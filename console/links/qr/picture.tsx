import { useQuery } from '@tanstack/react-query';
import { fileQuery } from '#console/api/links/files.ts';
import { drawPicture, plainStyle, type QrStyle, readLogo } from './draw.ts';

/**
 * The QR code of an address. @param own null: the plain style.
 * @param size at which it is shown: drawn at another one, its modules begin between two pixels, and light lines part them.
 */
export function useQrPicture(url: string, own: QrStyle | null, size: number) {
  const style = own ?? plainStyle;
  const { data: file } = useQuery({ ...fileQuery(style.imageId ?? ''), enabled: style.imageId !== null });
  const draw = async (side: number): Promise<string> => {
    const logo = style.imageId === null || file === undefined ? undefined : await readLogo(file);
    return drawPicture({ url, options: style.options, logo, size: side });
  };
  const picture = useQuery({
    queryKey: ['qr', 'picture', url, style, file?.url, size],
    staleTime: Infinity,
    enabled: style.imageId === null || file !== undefined,
    placeholderData: (before: string | undefined) => before,
    retry: false,
    queryFn: () => draw(size),
  });
  return { svg: picture.data, error: picture.error?.message, isOld: picture.isPlaceholderData, draw };
}

/** A drawn code. @param side in pixels, at which it was drawn. */
export function QrPicture({ svg, alt, side }: { svg: string; alt: string; side: number }) {
  return <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={alt} width={side} height={side} />;
}
