import { useState } from 'react';
import { deleteOrganization, type Organization } from '#console/api/organization.ts';
import { useOwnershipWords } from './people/ownership-words.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmByName } from '#console/ui/form/form-dialog.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useNavigate } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useSession } from '#console/app/sign-in/session-context.tsx';

/** Deletes the organization, for owners who type its name. */
export function DeleteOrganization({ organization: { name, usage } }: { organization: Organization }) {
  const words = useOwnershipWords();
  const format = useFormat();
  const { organization } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange({
    send: () => deleteOrganization(name),
    failed: words.notRemoved,
    onDone: async ({ progressToken }) => {
      await navigate({ to: '/deleted', hash: `token=${progressToken}`, replace: true });
      queries.clear();
    },
    onFailed: () => setAsking(false),
  });
  const isOwner = organization.role === 'owner';
  const links = words.links(usage.shortLinks, format.number(usage.shortLinks));
  const domains = words.domains(usage.domains, format.number(usage.domains));
  return (
    <Panel title={words.remove}>
      <p className="quiet">{isOwner ? words.removeHint : words.onlyOwners}</p>
      <div>
        <Button variant="danger" icon="trash" isDisabled={!isOwner} onPress={() => setAsking(true)}>
          {words.remove}
        </Button>
      </div>
      {isAsking && (
        <ConfirmByName
          title={words.deleteTitle(name)}
          name={name}
          onClose={() => setAsking(false)}
          submitLabel={words.removeNow}
          isPending={remove.isPending}
          onSubmit={remove.send}
        >
          <p>{words.lost(links, domains)}</p>
        </ConfirmByName>
      )}
    </Panel>
  );
}
