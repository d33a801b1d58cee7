import { Button } from '#console/ui/button.tsx';
import { Code } from '#console/ui/code.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { download } from '#console/ui/browser/download.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { useSecurityWords } from './words.ts';

/** The recovery codes, once. */
export function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const words = useSecurityWords();
  const text = codes.join('\n');
  return (
    <Dialog
      title={words.codesTitle}
      // Escape must not take away what no later page shows.
      isDismissable={false}
      onClose={onClose}
      actions={
        <>
          <Button
            icon="download"
            onPress={() => download(new Blob([`${location.host}\n\n${text}\n`], { type: 'text/plain' }), words.file)}
          >
            {words.downloadCodes}
          </Button>
          <Button variant="primary" onPress={onClose}>
            {words.kept}
          </Button>
        </>
      }
    >
      <Notice tone="warn" icon="key">
        {words.codesOnce}
      </Notice>
      <Code text={text} label={words.codes} name={words.codes} />
    </Dialog>
  );
}
