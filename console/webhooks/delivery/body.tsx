import { useState } from 'react';
import { Code } from '#console/ui/code.tsx';
import { useDeliveryWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';

/** The body of an event, as it is sent or in lines. */
export function Body({ text }: { text: string }) {
  const words = useDeliveryWords();
  const [isFormatted, setFormatted] = useState(false);
  return (
    <section className={css.panel} aria-label={words.body}>
      <div className={css.panelHead}>
        <h2>{words.body}</h2>
        <div className={css.tabs} role="group" aria-label={words.body}>
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              aria-pressed={isFormatted === one}
              className={css.tab}
              onClick={() => setFormatted(one)}
            >
              {one ? words.formatted : words.asSent}
            </button>
          ))}
        </div>
      </div>
      <p className="quiet">{words.bodyText}</p>
      <div className={isFormatted ? undefined : css.wrapped}>
        <Code text={isFormatted ? format(text) : text} label={words.body} name={words.copiedBody} />
      </div>
    </section>
  );
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
