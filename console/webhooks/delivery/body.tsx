import { useState } from 'react';
import { Code, inLines } from '#console/ui/text/code.tsx';
import { useDeliveryWords } from './words.ts';
import css from '#console/webhooks/webhooks.module.css';
import { Panel } from '#console/ui/page/panel.tsx';
import { Tabs } from '#console/ui/page/tabs.tsx';

/** The body of an event, as it is sent or in lines. */
export function Body({ text }: { text: string }) {
  const words = useDeliveryWords();
  const [shape, setShape] = useState<'asSent' | 'formatted'>('asSent');
  const isFormatted = shape === 'formatted';
  return (
    <Panel
      title={words.body}
      actions={
        <Tabs
          label={words.body}
          current={shape}
          onChange={setShape}
          tabs={(['asSent', 'formatted'] as const).map((id) => ({ id, label: words[id] }))}
        />
      }
    >
      <p className="quiet">{words.bodyText}</p>
      <div className={isFormatted ? undefined : css.wrapped}>
        <Code text={isFormatted ? inLines(text) : text} label={words.body} name={words.copiedBody} />
      </div>
    </Panel>
  );
}
