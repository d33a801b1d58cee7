import { useUiWords } from '#console/i18n/ui.ts';
import { CopyButton } from './copy.tsx';
import css from './code.module.css';

/** JSON in lines; a text that is none, such as one that was cut off, as it is. */
export function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface CodeProps {
  text: string;
  label: string;
  /** What the message on the copy calls it. */
  name?: string;
  /** Whether a text that is wider than the page breaks, as a value that is shown once, in place of scrolling. */
  isWhole?: boolean;
}

/** A command or value to copy. */
export function Code({ text, label, name, isWhole = false }: CodeProps) {
  const words = useUiWords();
  return (
    <div className={css.box}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard must reach what scrolls */}
      <pre className={`${css.code} ${isWhole ? css.whole : ''}`} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={words.copy} name={name} />
    </div>
  );
}
