import { useState } from 'react';
import { useQrWords } from '#console/links/qr/words.ts';
import { download } from '#console/ui/browser/download.ts';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { readSvg, rasterize } from './browser.ts';
import { createQrPdf } from './pdf.ts';

interface PdfDialogProps {
  /** Name of the file, without its ending. */
  name: string;
  /** The text of the SVG. */
  draw: () => Promise<string>;
  onClose: () => void;
}

const sizes = { least: 10, most: 2_000 };
const mostBleed = 20;

/** Asks for the size and the bleed of a code for print, and saves it as PDF. */
export default function PdfDialog({ name, draw, onClose }: PdfDialogProps) {
  const words = useQrWords().print;
  const [size, setSize] = useState('30');
  const [bleed, setBleed] = useState('3');
  const [isPending, setPending] = useState(false);
  const isSize = isWithin(size, sizes.least, sizes.most);
  const isBleed = isWithin(bleed, 0, mostBleed);

  async function save(): Promise<void> {
    setPending(true);
    try {
      const svg = readSvg(await draw());
      const bytes = await createQrPdf({ svg, size: numberOf(size), bleed: numberOf(bleed), rasterize });
      download(
        new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }),
        `${name}-${String(numberOf(size))}mm.pdf`,
      );
      onClose();
    } catch (failure) {
      sayFailed(words.failed, failure);
    } finally {
      setPending(false);
    }
  }

  return (
    <FormDialog
      title={words.title}
      submitLabel={words.save}
      isReady={isSize && isBleed}
      isPending={isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.size}
        hint={words.sizeHint}
        inputMode="numeric"
        value={size}
        onChange={setSize}
        error={isSize ? undefined : words.range(sizes.least, sizes.most)}
        autoFocus
        isMarkedOnFocus
      />
      <TextField
        label={words.bleed}
        hint={words.bleedHint}
        inputMode="numeric"
        value={bleed}
        onChange={setBleed}
        error={isBleed ? undefined : words.range(0, mostBleed)}
      />
    </FormDialog>
  );
}

/** A number as people of either language type it. */
const numberOf = (text: string): number => Number(text.trim().replace(',', '.'));

function isWithin(text: string, least: number, most: number): boolean {
  return text.trim() !== '' && numberOf(text) >= least && numberOf(text) <= most;
}
