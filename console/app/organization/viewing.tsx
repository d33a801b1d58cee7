import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { change } from '#console/api/staff.ts';
import type { Session } from '#console/api/types.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { refreshSession } from '#console/app/refresh-session.ts';
import { useAppWords } from '#console/app/words.ts';
import css from './viewing.module.css';

interface ViewingBarProps {
  organization: Session['organization'];
  viewing: NonNullable<Session['viewing']>;
}

/** Says on each page that staff look at an organization, and leads back. */
export default function ViewingBar({ organization: { id, name }, viewing: { until, reason } }: ViewingBarProps) {
  const words = useAppWords();
  const format = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  // The page of the organization is of no organization: nothing of the viewed one stays on the screen.
  const goBack = useCallback(async () => {
    await navigate({ to: '/staff/organizations/$id', params: { id }, search: {} });
    await refreshSession(queries);
  }, [id, navigate, queries]);

  const leave = useChange({
    send: () => change('organizations.endView', {}),
    failed: words.leaveView,
    onDone: goBack,
  });

  useEffect(() => {
    const timer = setTimeout(() => void goBack(), Math.max(0, new Date(until).getTime() - Date.now()));
    return () => clearTimeout(timer);
  }, [until, goBack]);

  return (
    <div className={css.bar} role="status">
      <Icon name="eye" />
      <span className={css.text}>
        <strong>{words.viewing(name, format.moment(until))}</strong> {words.viewingReason(reason)}
      </span>
      <Button size="small" icon="signOut" isPending={leave.isPending} onPress={() => leave.send()}>
        {words.leaveView}
      </Button>
    </div>
  );
}
