import { useEffect, useEffectEvent, useState } from 'react';
import { TextField } from '#console/ui/form/field.tsx';
import { useQrWords } from './words.ts';
import css from './qr.module.css';

interface ColourProps {
  label: string;
  value: string;
  onChange: (color: string) => void;
  /** Tells whether a text that is no colour stands in the field. */
  onWrong: (isWrong: boolean) => void;
}

/** A colour, chosen as the browser offers it or typed as hex: designers have it as a text. */
export function Colour({ label, value, onChange, onWrong }: ColourProps) {
  const words = useQrWords();
  const shown = toSixDigits(value);
  // What is typed, as long as the colour is not changed by other means: what is none stays, with the reason.
  const [last, setLast] = useState({ text: '', color: '' });
  const typed = last.color === shown ? last.text : undefined;
  const isWrong = typed !== undefined && readHex(typed) === undefined;
  const tell = useEffectEvent(onWrong);
  useEffect(() => {
    tell(isWrong);
    return () => tell(false);
  }, [isWrong]);
  return (
    <div className={css.colour}>
      <TextField label={label} type="color" value={shown} onChange={onChange} />
      <TextField
        label={words.hex(label)}
        isLabelHidden
        isMono
        value={typed ?? shown.toUpperCase()}
        maxLength={7}
        autoComplete="off"
        onChange={(text) => {
          const color = readHex(text);
          setLast({ text, color: color ?? shown });
          if (color !== undefined) onChange(color);
        }}
        onBlur={() => typed !== undefined && readHex(typed) !== undefined && setLast({ text: '', color: '' })}
        error={isWrong ? words.noHex : undefined}
      />
    </div>
  );
}

/** A colour as people write it: with or without #, of three or six digits. @returns six digits; undefined: it is none. */
function readHex(text: string): string | undefined {
  const digits = text.trim().replace(/^#/, '');
  return /^(?:[\da-f]{3}|[\da-f]{6})$/i.test(digits) ? toSixDigits(`#${digits}`) : undefined;
}

/** #abc and #aabbccdd as #aabbcc. */
function toSixDigits(color: string): string {
  const digits = color.slice(1);
  const long = digits.length <= 4 ? digits.replaceAll(/./g, '$&$&') : digits;
  return `#${long.slice(0, 6).toLowerCase()}`;
}
