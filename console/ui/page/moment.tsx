import { type Format, useFormat } from '#console/i18n/format.ts';
import { useNowUntil } from '#console/ui/browser/now.ts';

type Style = 'moment' | 'day' | 'ago' | 'soon';

const write: Record<Style, (format: Format, at: string, now: Date) => string> = {
  moment: (format, at) => format.moment(at),
  day: (format, at) => format.day(at),
  ago: (format, at, now) => format.ago(at, now),
  soon: (format, at, now) => format.soon(at, now),
};

interface MomentProps {
  at: string;
  /** `ago` and `soon` move on while the page is shown. Default: moment. */
  as?: Style;
  className?: string;
}

/** A moment; hovering tells it with its seconds and time zone. */
export function Moment({ at, as = 'moment', className }: MomentProps) {
  const format = useFormat();
  const now = useNowUntil(as === 'soon' ? at : null);
  return (
    <time dateTime={at} title={format.whole(at)} className={className}>
      {write[as](format, at, now)}
    </time>
  );
}
