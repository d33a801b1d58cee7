import { useState } from 'react';
import { type Domain, updateDomain } from '#console/api/domains.ts';
import { useRefusal } from '#console/app/can.ts';
import { QrDesigner } from '#console/links/qr/designer.tsx';
import { plainStyle } from '#console/links/qr/draw.ts';
import { QrPicture, useQrPicture } from '#console/links/qr/picture.tsx';
import { Button } from '#console/ui/button.tsx';
import { Skeleton } from '#console/ui/page/states.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';
import layout from '#console/ui/page/layout.module.css';
import { useChange } from '#console/ui/form/use-change.ts';

const shownSide = 192;

/** The style with which QR codes of new links on the domain begin. */
export default function QrTemplate({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const refusal = useRefusal('domains', 'update');
  const saved = domain.qrCode ?? plainStyle;
  const [style, setStyle] = useState(saved);
  const [isWrong, setWrong] = useState(false);
  const url = `https://${domain.domain}`;
  const { svg } = useQrPicture(url, style, shownSide);
  const save = useChange({
    send: () => updateDomain(domain.id, { qrCode: style }),
    done: words.saved,
    failed: words.notSaved,
    refresh: [['domains']],
  });
  return (
    <>
      <p className="quiet">{words.qrText}</p>
      <div className={css.template}>
        {svg === undefined ? (
          <Skeleton height={12} />
        ) : (
          <QrPicture svg={svg} alt={words.picture(domain.domain)} side={shownSide} />
        )}
        <QrDesigner style={style} onChange={setStyle} onWrong={setWrong} />
      </div>
      <div className={layout.actions}>
        <Button
          isPending={save.isPending}
          refusal={refusal}
          isDisabled={isWrong || JSON.stringify(style) === JSON.stringify(saved)}
          onPress={() => save.send()}
        >
          {words.saveStyle}
        </Button>
      </div>
    </>
  );
}
