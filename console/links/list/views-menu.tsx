import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import type { LinksSearch } from '#console/links/search.ts';
import { useLinkWords } from '#console/links/words.ts';
import { Button } from '#console/ui/button.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { isShown, useSavedViews } from './saved-views.ts';

/** Filters of the list under a name: shown again, saved and removed. */
export function ViewsMenu({ search }: { search: LinksSearch }) {
  const words = useLinkWords();
  const navigate = useNavigate();
  const { user, organization } = useSession();
  const { views, save, remove } = useSavedViews(`${user.id}.${organization.id}`);
  const [name, setName] = useState<string>();
  const { page: _page, ...kept } = search;
  const shown = views.find((view) => isShown(view, search));
  return (
    <>
      <Menu
        label={words.views.title}
        trigger={
          <Button size="small" icon="eye">
            {shown?.name ?? words.views.title}
          </Button>
        }
        groups={[
          views.map((view) => ({
            id: `view ${view.name}`,
            label: view.name,
            icon: view === shown ? 'check' : undefined,
            onAction: () => void navigate({ to: '/links', search: view.search }),
          })),
          [
            {
              id: 'save',
              label: words.views.save,
              icon: 'add',
              refusal: Object.keys(kept).length === 0 ? words.views.nothing : undefined,
              onAction: () => setName(''),
            },
            shown && {
              id: 'remove',
              label: words.views.remove(shown.name),
              icon: 'trash',
              onAction: () => {
                remove(shown.name);
                sayDone(words.views.removed(shown.name), { label: words.undo, onPress: () => save(shown) });
              },
            },
          ],
        ]}
      />
      {name !== undefined && (
        <FormDialog
          title={words.views.save}
          submitLabel={words.save}
          isReady={name.trim() !== ''}
          onClose={() => setName(undefined)}
          onSubmit={() => {
            save({ name: name.trim(), search: kept });
            setName(undefined);
            sayDone(words.views.saved(name.trim()));
          }}
        >
          <TextField
            label={words.views.name}
            hint={words.views.hint}
            value={name}
            onChange={setName}
            maxLength={60}
            autoFocus
          />
        </FormDialog>
      )}
    </>
  );
}
