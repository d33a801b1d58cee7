import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { sayDone } from '#console/ui/messages.tsx';

/**
 * Puts a text on the clipboard.
 * @returns whether it worked; it does not where the browser refuses.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** On plain http beyond localhost browsers have no clipboard API. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** A button that copies a text and says so. */
export function CopyButton({
  text,
  label,
  name = text,
  size = 'small',
}: {
  text: string;
  label: string;
  /** What the message calls the text, such as one that is long or secret. Default: the text itself. */
  name?: string | undefined;
  size?: 'small' | 'normal';
}) {
  const words = useUiWords();
  return (
    <IconButton
      icon="copy"
      size={size}
      label={label}
      onPress={() =>
        void copyText(text).then((isCopied) => sayDone(isCopied ? words.copied(name) : words.notCopied(name)))
      }
    />
  );
}
