import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { cardSize, type Crop, dragged, middle, partOf } from './crop.ts';
import { useCardWords } from './words.ts';
import css from './cards.module.css';
import layout from '#console/ui/page/layout.module.css';

interface CropperProps {
  picture: ImageBitmap;
  isPending: boolean;
  onUse: (file: File) => void;
  onCancel: () => void;
}

// Some 200 kB for a photograph; the API takes 1 MiB.
const quality = 0.88;

/** Chooses the part of a picture that a card shows, by dragging or by sliders, and cuts it to 1200 × 630 pixels. */
export function Cropper({ picture, isPending, onUse, onCancel }: CropperProps) {
  const words = useCardWords();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [crop, setCrop] = useState<Crop>(middle);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context) return;
    const { x, y, width, height } = partOf(picture, crop);
    // Pictures of previews have no holes: networks show those black or white.
    context.fillStyle = 'white';
    context.fillRect(0, 0, cardSize.width, cardSize.height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, x, y, width, height, 0, 0, cardSize.width, cardSize.height);
  }, [picture, crop]);

  const cutOut = (): void =>
    canvas.current?.toBlob(
      (blob) => blob !== null && onUse(new File([blob], 'card.jpg', { type: 'image/jpeg' })),
      'image/jpeg',
      quality,
    );
  const isSmall = picture.width < cardSize.width || picture.height < cardSize.height;
  return (
    <div className={`${css.cropper} ${layout.stack}`}>
      <canvas
        ref={canvas}
        width={cardSize.width}
        height={cardSize.height}
        role="img"
        aria-label={words.crop}
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={({ currentTarget, pointerId, movementX, movementY }) => {
          if (!currentTarget.hasPointerCapture(pointerId)) return;
          const { clientWidth } = currentTarget;
          setCrop((before) => dragged(picture, before, { x: movementX, y: movementY }, clientWidth));
        }}
      />
      <div className={`small ${css.sliders}`}>
        <Slider label={words.zoom} value={crop.zoom} from={1} to={4} onChange={(zoom) => setCrop({ ...crop, zoom })} />
        <Slider
          label={words.across}
          value={crop.across}
          from={0}
          to={1}
          onChange={(across) => setCrop({ ...crop, across })}
        />
        <Slider label={words.down} value={crop.down} from={0} to={1} onChange={(down) => setCrop({ ...crop, down })} />
      </div>
      {isSmall && <Notice tone="warn">{words.small(picture.width, picture.height)}</Notice>}
      <div className={layout.actions}>
        <Button size="small" variant="primary" isPending={isPending} onPress={cutOut}>
          {words.use}
        </Button>
        <Button size="small" onPress={onCancel}>
          {words.cancel}
        </Button>
      </div>
    </div>
  );
}

interface SliderProps {
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => void;
}

function Slider({ label, value, from, to, onChange }: SliderProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={from}
        max={to}
        step={0.01}
        value={value}
        onChange={({ target }) => onChange(target.valueAsNumber)}
      />
    </div>
  );
}
