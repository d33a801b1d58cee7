import { Button } from '#console/ui/button.tsx';
import { lengths } from '#core/lengths.ts';
import { useNumberText } from '#console/i18n/number-text.ts';
import { Switch, TextField } from '#console/ui/form/field.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { toLocalInput } from '#console/ui/browser/local-input.ts';
import { withScheme } from '#console/links/editor/destination/destination.ts';
import { useSpaceIssue } from '#console/links/editor/destination/spaces.ts';
import type { SectionProps } from '#console/links/editor/form.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';
import layout from '#console/ui/page/layout.module.css';

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const passwordLength = 14;
// Letters and digits that are not mistaken for each other.
const passwordLetters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** End, cap, password, on or off. */
export function LimitsSection({ draft, onChange, issues, saved }: SectionProps) {
  const words = useEditorWords();
  const now = useNow();
  const spaceIssue = useSpaceIssue();
  const maxClicks = useNumberText(draft.maxClicks, (value) => onChange({ maxClicks: value }));
  const at = (year: number, month: number, day: number): string => toLocalInput(new Date(year, month, day, 23, 59));
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return (
    <div className={layout.fields}>
      <div>
        <TextField
          label={words.ends}
          type="datetime-local"
          value={draft.expiresAt}
          onChange={(expiresAt) => onChange({ expiresAt })}
          error={issues.expiresAt}
          hint={timeZone}
        />
        <div className={css.quick}>
          <Button size="small" onPress={() => onChange({ expiresAt: at(year, month, day) })}>
            {words.tonight}
          </Button>
          <Button size="small" onPress={() => onChange({ expiresAt: at(year, month, day + 7) })}>
            {words.inAWeek}
          </Button>
          <Button size="small" onPress={() => onChange({ expiresAt: at(year, month + 1, 0) })}>
            {words.endOfMonth}
          </Button>
          <Button size="small" variant="plain" onPress={() => onChange({ expiresAt: '' })}>
            {words.never}
          </Button>
        </div>
      </div>
      <TextField
        label={words.expiredUrl}
        value={draft.expiredUrl}
        onChange={(expiredUrl) => onChange({ expiredUrl })}
        onBlur={() => onChange({ expiredUrl: withScheme(draft.expiredUrl.trim()) })}
        error={issues.expiredUrl ?? spaceIssue(draft.expiredUrl)}
        placeholder="https://example.com/over"
      />
      <TextField
        label={words.maxClicks}
        {...maxClicks}
        error={issues.maxClicks}
        hint={saved && words.clicksSoFar(saved.currentClicks)}
      />
      <TextField
        label={words.password}
        value={draft.password ?? ''}
        onChange={(password) => onChange({ password: password === '' ? undefined : password })}
        error={issues.password}
        hint={saved?.hasPassword === true && draft.password !== null ? words.passwordSet : words.passwordHint}
        autoComplete="off"
        maxLength={lengths.linkPassword}
        after={
          <>
            <Button size="small" variant="plain" onPress={() => onChange({ password: generatePassword() })}>
              {words.generate}
            </Button>
            {saved?.hasPassword === true && (
              <Button size="small" variant="plain" onPress={() => onChange({ password: null })}>
                {words.removePassword}
              </Button>
            )}
          </>
        }
      />
      <Switch isSelected={draft.isActive} onChange={(isActive) => onChange({ isActive })}>
        {words.active}
      </Switch>
    </div>
  );
}

function generatePassword(): string {
  // Of 32 bits, the remainder favours no letter by more than one part in a hundred million.
  const random = crypto.getRandomValues(new Uint32Array(passwordLength));
  return Array.from(random, (number) => passwordLetters[number % passwordLetters.length]).join('');
}
