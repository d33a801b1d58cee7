import { useNavigate } from '@tanstack/react-router';
import { FileTrigger } from 'react-aria-components';
import { Button } from '#console/ui/button.tsx';
import { setDropped } from './drop/dropped.ts';
import { useImportWords } from './words.ts';

/** Types of files that pickers offer. */
export const acceptedFiles = ['.csv', '.tsv', '.txt', 'text/csv'];

/** Picks a file of links, and opens its preview. */
export function PickFile({ isAgain = false, isMain = true }: { isAgain?: boolean; isMain?: boolean }) {
  const words = useImportWords();
  const navigate = useNavigate();
  return (
    <FileTrigger
      acceptedFileTypes={acceptedFiles}
      onSelect={(files) => {
        if (files?.[0] === undefined) return;
        setDropped(files[0]);
        void navigate({ to: '/imports/new' });
      }}
    >
      <Button variant={isAgain ? 'plain' : isMain ? 'primary' : 'normal'} icon={isAgain ? 'refresh' : 'file'}>
        {isAgain ? words.drop.another : words.drop.pick}
      </Button>
    </FileTrigger>
  );
}
