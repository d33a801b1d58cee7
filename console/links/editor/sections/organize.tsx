import { issueAt } from '#console/api/error.ts';
import { FolderField } from './folder-field.tsx';
import { TagsField } from './tags-field.tsx';
import { lengths } from '#core/lengths.ts';
import { TextArea, TextField } from '#console/ui/form/field.tsx';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';
import layout from '#console/ui/page/layout.module.css';

/** Folder, tags, external id and note. */
export function OrganizeSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  return (
    <div className={layout.fields}>
      <FolderField folderId={draft.folderId} onChange={(folderId) => onChange({ folderId })} error={issues.folderId} />
      <TagsField tags={draft.tags} onChange={(tags) => onChange({ tags })} error={issueAt(issues, 'tags')} />
      <TextField
        label={words.externalId}
        value={draft.externalId}
        onChange={(externalId) => onChange({ externalId })}
        error={issues.externalId}
        maxLength={lengths.externalId}
      />
      <div className={css.whole}>
        <TextArea
          label={words.notes}
          hint={words.notesHint}
          value={draft.notes}
          onChange={(notes) => onChange({ notes })}
          error={issues.notes}
          maxLength={lengths.note}
        />
      </div>
    </div>
  );
}
