import { Link } from '@tanstack/react-router';
import type { LoggedCall } from '#console/api/calls.ts';
import { callerName } from '#console/i18n/nouns.ts';
import { Chip } from '#console/ui/page/states.tsx';
import { useCallsWords } from './words.ts';

/** Who called, as the way to all calls of that caller. */
export function CallerName({ by: { type, keyId, userId, name } }: { by: LoggedCall['by'] }) {
  const words = useCallsWords();
  const shown = callerName(name) ?? (type === 'key' ? words.someKey : words.somePerson);
  return (
    <Link to="/settings/calls" search={{ by: type, caller: keyId ?? userId }} aria-label={words.showOnly(shown)}>
      {shown}
    </Link>
  );
}

/** A status, with the tone of its class. */
export function CallStatus({ status }: { status: number }) {
  return <Chip tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>{status}</Chip>;
}
