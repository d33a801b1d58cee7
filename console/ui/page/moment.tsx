import { useFormat } from '#console/i18n/format.ts';
import { useNowUntil } from '#console/ui/browser/now.ts';

interface MomentProps {
  at: string;
  /** `ago` and `soon` move on while the page is shown. Default: moment. */
  as?: 'moment' | 'day' | 'ago' | 'soon';
  className?: string;
}

/** A moment; hovering tells it with its seconds and time zone. */
export function Moment({ at, as = 'moment', className }: MomentProps) {
  const format = useFormat();
  const now = useNowUntil(as === 'soon' ? at : null);
  return (
    <time dateTime={at} title={format.whole(at)} className={className}>
      {as === 'ago' || as === 'soon' ? format[as](at, now) : format[as](at)}
    </time>
  );
}
