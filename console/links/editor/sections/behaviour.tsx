import { Switch, TextField } from '#console/ui/form/field.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useSpaceIssue } from '#console/links/editor/destination/spaces.ts';
import { useDestinationPage } from '#console/links/editor/destination/use-destination-page.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';
import layout from '#console/ui/page/layout.module.css';

/** Cloaking, the visit's query, apps on phones. */
export function BehaviourSection({ draft, onChange, issues }: SectionProps) {
  const words = useEditorWords();
  const spaceIssue = useSpaceIssue();
  const page = useDestinationPage(draft.destination);
  return (
    <div className={layout.fields}>
      <Switch isSelected={draft.cloaking} onChange={(cloaking) => onChange({ cloaking })}>
        {words.cloaking}
      </Switch>
      {draft.cloaking && page?.isFrameable === false && (
        <div className={css.whole}>
          <Notice tone="warn" icon="warning">
            {words.noFrames}
          </Notice>
        </div>
      )}
      <Switch isSelected={draft.forwardQuery} onChange={(forwardQuery) => onChange({ forwardQuery })}>
        {words.forwardQuery}
      </Switch>
      <Switch isSelected={draft.enableDeepLinking} onChange={(enableDeepLinking) => onChange({ enableDeepLinking })}>
        {words.deepLinks}
      </Switch>
      {draft.enableDeepLinking && (
        <>
          <TextField
            label={words.ios}
            value={draft.iosDeepLink}
            onChange={(iosDeepLink) => onChange({ iosDeepLink })}
            error={issues['destination.iosDeepLink'] ?? spaceIssue(draft.iosDeepLink)}
            placeholder="myapp://spring"
          />
          <TextField
            label={words.android}
            value={draft.androidDeepLink}
            onChange={(androidDeepLink) => onChange({ androidDeepLink })}
            error={issues['destination.androidDeepLink'] ?? spaceIssue(draft.androidDeepLink)}
            placeholder="myapp://spring"
          />
        </>
      )}
    </div>
  );
}
