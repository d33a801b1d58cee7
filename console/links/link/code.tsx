import { firstTemplate } from '#core/links/qr/template.ts';
import type { ShortLink } from '#console/api/types.ts';
import { useQrPicture } from '#console/links/qr/use-picture.ts';
import { Skeleton } from '#console/ui/page/states.tsx';

const plain = { options: firstTemplate, imageId: null };
const side = 144;

/** The QR code of a link, in its style. */
export default function Code({ link }: { link: ShortLink }) {
  const { svg } = useQrPicture(link.originUrl, link.qrCode ?? plain, side);
  if (svg === undefined) return <Skeleton height={9} />;
  return <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt="" width={side} height={side} />;
}
