import { useState } from 'react';
import type { LinkPatch } from '#console/api/links/links.ts';
import { emptyDraft, utmNames } from '#console/links/editor/draft.ts';
import { CampaignSection } from '#console/links/editor/sections/campaign.tsx';
import { Checkbox } from '#console/ui/form/field.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import type { TaskDialogProps } from './task-dialog.tsx';
import { useBulkWords } from './words.ts';

/** Asks for the UTM values of many links. Empty fields stay as each link has them, unless they are to be emptied. */
export function CampaignDialog({ count, onApply, onClose }: Pick<TaskDialogProps, 'count' | 'onApply' | 'onClose'>) {
  const bulk = useBulkWords();
  const [draft, setDraft] = useState(emptyDraft);
  const [isEmptied, setEmptied] = useState(false);
  const change: LinkPatch = Object.fromEntries(
    utmNames.flatMap((name) => {
      const value = draft[name].trim();
      return value === '' && !isEmptied ? [] : [[name, value === '' ? null : value]];
    }),
  );
  return (
    <FormDialog
      title={bulk.titles.campaign(bulk.links(count))}
      submitLabel={bulk.apply}
      isReady={Object.keys(change).length > 0}
      onSubmit={() => void onApply(change)}
      onClose={onClose}
    >
      <p className="quiet">{bulk.campaignHint}</p>
      <CampaignSection draft={draft} onChange={(part) => setDraft({ ...draft, ...part })} issues={{}} />
      <Checkbox isSelected={isEmptied} onChange={setEmptied}>
        {bulk.emptied}
      </Checkbox>
    </FormDialog>
  );
}
