import { useState } from 'react';
import { useQrWords } from '#console/links/qr/words.ts';
import { numberOf, useNumberText } from '#console/i18n/number-text.ts';
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
  const sizeText = useNumberText(size, setSize);
  const bleedText = useNumberText(bleed, setBleed);
  const sizeMm = numberWithin(size, sizes.least, sizes.most);
  const bleedMm = numberWithin(bleed, 0, mostBleed);

  async function save(): Promise<void> {
    if (sizeMm === undefined || bleedMm === undefined) return;
    setPending(true);
    try {
      const svg = readSvg(await draw());
      const bytes = await createQrPdf({ svg, size: sizeMm, bleed: bleedMm, rasterize });
      download(new Blob([new Uint8Array(bytes)], { type: 'application/pdf' }), `${name}-${sizeMm}mm.pdf`);
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
      isReady={sizeMm !== undefined && bleedMm !== undefined}
      isPending={isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.size}
        hint={words.sizeHint}
        {...sizeText}
        error={sizeMm === undefined ? words.range(sizes.least, sizes.most) : undefined}
        autoFocus
        isMarkedOnFocus
      />
      <TextField
        label={words.bleed}
        hint={words.bleedHint}
        {...bleedText}
        error={bleedMm === undefined ? words.range(0, mostBleed) : undefined}
      />
    </FormDialog>
  );
}

/** @returns undefined: the text is no number, or one out of the range. */
function numberWithin(text: string, least: number, most: number): number | undefined {
  const number = numberOf(text);
  return number !== undefined && number >= least && number <= most ? number : undefined;
}
