import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Chip } from '#console/ui/page/states.tsx';
import { StaffFrame } from '#console/staff/frame.tsx';
import { Filters, StaffList, StaffRow } from '#console/staff/list.tsx';
import type { StaffListSearch } from '#console/staff/search.ts';
import { CreateDialog } from './create-dialog.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { usePageSearch } from '#console/app/places/use-page-search.ts';

/** /staff/organizations */
export default function OrganizationsPage() {
  const words = useStaffWords();
  const format = useFormat();
  const { search } = usePageSearch<StaffListSearch>();
  const [isCreating, setCreating] = useState(false);
  return (
    <StaffFrame page="organizations">
      <StaffList
        path="organizations.list"
        input={{ search: search.q }}
        title={words.pages.organizations}
        before={
          <Filters label={words.searchOrganizations}>
            <Button icon="add" onPress={() => setCreating(true)}>
              {words.newOrganization}
            </Button>
          </Filters>
        }
      >
        {({ id, name, plan, isSuspended, suspensionReason, createdAt }) => (
          <StaffRow
            key={id}
            lines={[suspensionReason]}
            actions={
              <>
                <Chip>{words.plans[plan]}</Chip>
                <span className="quiet">{format.day(createdAt)}</span>
              </>
            }
          >
            <Link to="/staff/organizations/$id" params={{ id }}>
              {name}
            </Link>{' '}
            {isSuspended && <Chip tone="bad">{words.suspended}</Chip>}
          </StaffRow>
        )}
      </StaffList>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </StaffFrame>
  );
}
