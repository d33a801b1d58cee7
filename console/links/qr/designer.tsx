import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { FileTrigger } from 'react-aria-components';
import { fileListQuery, fileQuery, uploadFile } from '#console/api/links/files.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { changeAndFocus } from '#console/ui/browser/focus.ts';
import { Select } from '#console/ui/form/list-field.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { fileKinds } from '#core/files/kinds.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { Colour } from './colour.tsx';
import type { QrStyle } from './draw.ts';
import { useQrWords } from './words.ts';
import css from './qr.module.css';
import layout from '#console/ui/page/layout.module.css';

// The most that the API lists at once.
const mostLogos = 50;
const dotShapes = ['square', 'rounded', 'extra-rounded', 'dots', 'classy', 'classy-rounded'] as const;
const cornerSquareShapes = ['square', 'extra-rounded', 'rounded', 'dot', 'classy', 'classy-rounded'] as const;
const cornerDotShapes = ['square', 'dot', 'extra-rounded', 'rounded', 'classy', 'classy-rounded'] as const;
const logoSizes = ['0.2', '0.3', '0.4', '0.5'] as const;
const margins = ['2', '3', '4', '6', '8'] as const;

// Dark enough for scanners, and another than the first colour of each preset.
const firstGradient = '#9D174D';

const presets: Record<'plain' | 'soft' | 'ink' | 'dusk', QrOptions> = {
  plain: firstTemplate,
  soft: {
    ...firstTemplate,
    dotsOptions: { type: 'rounded', color: '#1F2937' },
    cornersSquareOptions: { type: 'extra-rounded', color: '#1F2937' },
    cornersDotOptions: { type: 'dot', color: '#1F2937' },
  },
  ink: {
    ...firstTemplate,
    dotsOptions: { type: 'classy', color: '#1E3A8A' },
    cornersSquareOptions: { type: 'square', color: '#1E3A8A' },
    cornersDotOptions: { type: 'square', color: '#1E3A8A' },
  },
  dusk: {
    ...firstTemplate,
    dotsOptions: {
      type: 'extra-rounded',
      color: '#4C1D95',
      gradient: {
        type: 'linear',
        rotation: 45,
        colorStops: [
          { offset: 0, color: '#4C1D95' },
          { offset: 1, color: '#9D174D' },
        ],
      },
    },
    cornersSquareOptions: { type: 'extra-rounded', color: '#4C1D95' },
    cornersDotOptions: { type: 'dot', color: '#9D174D' },
  },
};

interface QrDesignerProps {
  style: QrStyle;
  onChange: (style: QrStyle) => void;
  /** Tells whether a field holds what cannot be drawn: the style is without it then, and not to be saved. */
  onWrong: (isWrong: boolean) => void;
}

/** Shapes, colours, logo and quiet zone of a QR code. */
export function QrDesigner({ style, onChange, onWrong }: QrDesignerProps) {
  const words = useQrWords();
  const format = useFormat();
  const { data: files } = useQuery(fileListQuery({ kind: 'qr-code', limit: mostLogos }));
  const { options, imageId } = style;
  const logos = files?.data ?? [];
  // Of more logos than are listed, or of none yet.
  const isListed = imageId === null || logos.some(({ id }) => id === imageId);
  const { data: own } = useQuery({ ...fileQuery(imageId ?? ''), enabled: !isListed });
  const wrong = useRef(new Set<string>());
  const mark =
    (name: string) =>
    (isWrong: boolean): void => {
      if (isWrong) wrong.current.add(name);
      else wrong.current.delete(name);
      onWrong(wrong.current.size > 0);
    };
  const { dotsOptions = {}, cornersSquareOptions = {}, cornersDotOptions = {}, backgroundOptions = {} } = options;
  const color = dotsOptions.color ?? '#000000';
  const gradientTo = dotsOptions.gradient?.colorStops?.at(-1)?.color;
  const set = (change: Partial<QrOptions>): void => onChange({ ...style, options: { ...options, ...change } });

  function setColor(next: string, to: string | undefined): void {
    const colorStops = [
      { offset: 0, color: next },
      { offset: 1, color: to ?? next },
    ];
    const gradient = { type: 'linear', rotation: 45, colorStops } as const;
    set({ dotsOptions: { ...dotsOptions, color: next, gradient: to === undefined ? undefined : gradient } });
  }

  const upload = useChange({
    send: (file: File, intent) => uploadFile('qr-code', file, intent),
    failed: words.notUploaded,
    refresh: [['files']],
    onDone: ({ id }) => onChange({ ...style, imageId: id }),
  });

  return (
    <div className={layout.fields}>
      <div className={css.presets} role="group" aria-label={words.presets}>
        {(Object.keys(presets) as (keyof typeof presets)[]).map((name) => (
          <Button key={name} size="small" onPress={() => onChange({ ...style, options: presets[name] })}>
            {words.presetNames[name]}
          </Button>
        ))}
      </div>
      <Shape
        label={words.dots}
        shapes={dotShapes}
        value={dotsOptions.type ?? 'square'}
        onChange={(type) => set({ dotsOptions: { ...dotsOptions, type } })}
      />
      <Shape
        label={words.cornerSquare}
        shapes={cornerSquareShapes}
        value={cornersSquareOptions.type ?? 'square'}
        onChange={(type) => set({ cornersSquareOptions: { ...cornersSquareOptions, type } })}
      />
      <Shape
        label={words.cornerDot}
        shapes={cornerDotShapes}
        value={cornersDotOptions.type ?? 'square'}
        onChange={(type) => set({ cornersDotOptions: { ...cornersDotOptions, type } })}
      />
      <Colour
        label={words.color}
        value={color}
        onChange={(next) => setColor(next, gradientTo)}
        onWrong={mark('dots')}
      />
      <div className={css.gradient}>
        {gradientTo === undefined ? (
          <Button onPress={() => changeAndFocus(() => setColor(color, firstGradient), `.${css.gradient} input`)}>
            {words.addGradient}
          </Button>
        ) : (
          <>
            <Colour
              label={words.gradientTo}
              value={gradientTo}
              onChange={(to) => setColor(color, to)}
              onWrong={mark('gradient')}
            />
            <Button
              size="small"
              variant="plain"
              onPress={() => changeAndFocus(() => setColor(color, undefined), `.${css.gradient} button`)}
            >
              {words.noGradient}
            </Button>
          </>
        )}
      </div>
      <Colour
        label={words.cornerColor}
        value={cornersSquareOptions.color ?? color}
        onChange={(next) =>
          set({
            cornersSquareOptions: { ...cornersSquareOptions, color: next },
            cornersDotOptions: { ...cornersDotOptions, color: next },
          })
        }
        onWrong={mark('corners')}
      />
      <Colour
        label={words.ground}
        value={backgroundOptions.color ?? '#ffffff'}
        onChange={(next) => set({ backgroundOptions: { ...backgroundOptions, color: next } })}
        onWrong={mark('ground')}
      />
      <Select
        label={words.margin}
        hint={words.marginHint}
        value={margins.find((margin) => Number(margin) === (options.margin ?? 4)) ?? '4'}
        onChange={(margin) => set({ margin: Number(margin) })}
        choices={margins.map((id) => ({ id, label: id }))}
      />
      <Select
        label={words.logo}
        hint={words.uploadHint(format.bytes(fileKinds['qr-code'].maxBytes))}
        value={imageId ?? 'none'}
        onChange={(id) => onChange({ ...style, imageId: id === 'none' ? null : id })}
        choices={[
          { id: 'none', label: words.noLogo },
          ...logos.map(({ id, name }) => ({ id, label: name })),
          ...(isListed ? [] : [{ id: imageId, label: own?.name ?? words.logo }]),
        ]}
      />
      <div className={css.upload}>
        <FileTrigger
          acceptedFileTypes={['image/png', 'image/jpeg', 'image/svg+xml']}
          onSelect={(list) => list?.[0] && upload.send(list[0])}
        >
          <Button icon="image">{words.upload}</Button>
        </FileTrigger>
      </div>
      {imageId !== null && (
        <Select
          label={words.logoSize}
          value={logoSizes.find((size) => Number(size) === options.imageOptions?.imageSize) ?? '0.4'}
          onChange={(size) => set({ imageOptions: { ...options.imageOptions, imageSize: Number(size) } })}
          choices={logoSizes.map((id) => ({ id, label: `${Number(id) * 100} %` }))}
        />
      )}
    </div>
  );
}

interface ShapeProps<S extends string> {
  label: string;
  shapes: readonly S[];
  value: string;
  onChange: (shape: S) => void;
}

function Shape<S extends keyof ReturnType<typeof useQrWords>['shapes']>({
  label,
  shapes,
  value,
  onChange,
}: ShapeProps<S>) {
  const words = useQrWords();
  return (
    <Select<S>
      label={label}
      value={shapes.find((shape) => shape === value) ?? shapes[0]!}
      onChange={onChange}
      choices={shapes.map((id) => ({ id, label: words.shapes[id] }))}
    />
  );
}
