import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Filters } from './filters.tsx';
import { StaffFrame } from './frame.tsx';
import { StaffList } from './list.tsx';
import { WebhookRow } from './rows/webhook.tsx';
import type { StaffListSearch } from './search.ts';
import { useStaffWords } from './words.ts';

/** /staff/webhooks */
export function StaffWebhooksPage() {
  const words = useStaffWords();
  const search = useSearch({ from: '/frame/staff/webhooks' });
  const navigate = useNavigate();
  const set = useCallback(
    (next: StaffListSearch) =>
      void navigate({ to: '/staff/webhooks', search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  return (
    <StaffFrame page="webhooks">
      <StaffList
        path="webhooks.list"
        input={{ search: search.q, organizationId: search.org }}
        title={words.pages.webhooks}
        before={<Filters search={search} label={words.searchWebhooks} onSearch={set} />}
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} isOfMany />}
      </StaffList>
    </StaffFrame>
  );
}
