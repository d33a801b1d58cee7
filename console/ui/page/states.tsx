import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError, messageOf } from '#console/api/error.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { CallId } from '#console/ui/text/call-id.tsx';
import { Code } from '#console/ui/text/code.tsx';
import { Icon, type IconName } from '#console/ui/icon.tsx';
import css from './states.module.css';

interface EmptyProps {
  /** Whether it is the only content of the page. */
  isPage?: boolean;
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** The same by the API, as a command. */
  command?: string;
}

/** Says why a place is empty, and what to do. */
export function Empty({ icon, title, isPage = false, children, action, command }: EmptyProps) {
  const words = useUiWords();
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className={css.empty}>
      <Icon name={icon} size={32} />
      <Title>{title}</Title>
      {children !== undefined && <div className={css.text}>{children}</div>}
      {action}
      {command !== undefined && (
        <details className={`quiet small ${css.command}`}>
          <summary>{words.command}</summary>
          <Code text={command} label={words.command} />
        </details>
      )}
    </div>
  );
}

/** A panel whose data could not be read. The rest of the page goes on. */
export function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const words = useUiWords();
  return (
    <div className={css.failed} role="alert">
      <p>
        <strong>{words.notLoaded}</strong> {messageOf(error)}
      </p>
      <CallId error={error} className="quiet" />
      {error instanceof ApiError && error.code === 'SECOND_FACTOR_MISSING' && (
        <Link to="/settings/security">{words.addSecondFactor}</Link>
      )}
      <Button size="small" icon="refresh" onPress={onRetry}>
        {words.tryAgain}
      </Button>
    </div>
  );
}

/** Grey bars in the place of rows to come; invisible for the first 150 ms. @param height in rem, of one row. */
export function Skeleton({ rows = 1, height = 2.5 }: { rows?: number; height?: number }) {
  const words = useUiWords();
  return (
    <div className={css.skeleton} role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_value, index) => (
        <div key={index} className={css.bar} style={{ blockSize: `${height}rem` }} />
      ))}
    </div>
  );
}

type ChipTone = 'good' | 'warn' | 'bad' | 'quiet' | 'accent';

/** A word or two. @param tone that of a state, which is told by a dot as well; none: it is no state. */
export function Chip({ tone, icon, children }: { tone?: ChipTone; icon?: IconName; children: ReactNode }) {
  if (tone !== undefined)
    return (
      <span className={[css.state, css[`is${tone}`]].join(' ')}>
        <span>{children}</span>
      </span>
    );
  return (
    <span className={css.chip}>
      {icon !== undefined && <Icon name={icon} size={14} />}
      {children}
    </span>
  );
}

/** A text in a box that asks for attention. */
export function Notice({
  tone,
  icon = 'info',
  children,
}: {
  tone: 'warn' | 'bad' | 'quiet' | 'good';
  icon?: IconName;
  children: ReactNode;
}) {
  return (
    <div className={[css.notice, css[tone]].join(' ')}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** Says what is wrong, aloud too; nothing where there is nothing. */
export function Alert({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div role="alert">
      <Notice tone="bad" icon="warning">
        {text}
      </Notice>
    </div>
  );
}
