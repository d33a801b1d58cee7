import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/text/code.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { download } from '#console/ui/browser/download.ts';
import { useSecurityWords } from './words.ts';

/** The recovery codes, once. */
export function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const words = useSecurityWords();
  const text = codes.join('\n');
  return (
    <OnceDialog
      title={words.codesTitle}
      once={words.codesOnce}
      done={words.kept}
      action={
        <Button
          icon="download"
          onPress={() => download(new Blob([`${location.host}\n\n${text}\n`], { type: 'text/plain' }), words.file)}
        >
          {words.downloadCodes}
        </Button>
      }
      onClose={onClose}
    >
      <Code text={text} label={words.codes} name={words.codes} />
    </OnceDialog>
  );
}
