import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/states.tsx';
import { Filters } from '#console/staff/filters.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { StaffList } from '#console/staff/list.tsx';
import type { StaffListSearch } from '#console/staff/search.ts';
import { CreateDialog } from './create-dialog.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import css from '#console/staff/staff.module.css';

/** /staff/organizations */
export function OrganizationsPage() {
  const words = useStaffWords();
  const format = useFormat();
  const search = useSearch({ from: '/frame/staff/organizations' });
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const set = useCallback(
    (next: StaffListSearch) => void navigate({ to: '/staff/organizations', search: next, replace: true }),
    [navigate],
  );
  return (
    <StaffFrame page="organizations">
      <StaffList
        path="organizations.list"
        input={{ search: search.q }}
        title={words.pages.organizations}
        before={
          <Filters search={search} label={words.searchOrganizations} onSearch={set}>
            <Button icon="add" onPress={() => setCreating(true)}>
              {words.newOrganization}
            </Button>
          </Filters>
        }
      >
        {({ id, name, plan, isSuspended, suspensionReason, createdAt }) => (
          <li key={id}>
            <span className={css.about}>
              <span>
                <Link to="/staff/organizations/$id" params={{ id }}>
                  {name}
                </Link>{' '}
                {isSuspended && <Chip tone="bad">{words.suspended}</Chip>}
              </span>
              {suspensionReason !== null && <span className="quiet">{suspensionReason}</span>}
            </span>
            <span className={css.actions}>
              <Chip>{words.plans[plan]}</Chip>
              <span className="quiet">{format.day(createdAt)}</span>
            </span>
          </li>
        )}
      </StaffList>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </StaffFrame>
  );
}
