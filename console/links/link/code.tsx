import type { ShortLink } from '#console/api/types.ts';
import { QrPicture, useQrPicture } from '#console/links/qr/picture.tsx';
import { Skeleton } from '#console/ui/page/states.tsx';

const side = 144;

export default function Code({ link }: { link: ShortLink }) {
  const { svg } = useQrPicture(link.originUrl, link.qrCode, side);
  return svg === undefined ? <Skeleton height={9} /> : <QrPicture svg={svg} alt="" side={side} />;
}
