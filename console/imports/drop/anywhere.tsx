import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useCan } from '#console/app/can.ts';
import { isDialogOpen } from '#console/app/keys.ts';
import { Icon } from '#console/ui/icon.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { isFileDrag, setDropped } from './dropped.ts';
import css from './anywhere.module.css';
import { createWords } from '#console/i18n/words.ts';

const en = {
  over: 'Drop the file to import its links',
  overText: 'Nothing is sent before you press Start.',
  notAllowed: 'Your role does not allow importing links.',
  oneFile: 'One file at a time: the first one was taken.',
};

const de: typeof en = {
  over: 'Datei ablegen, um ihre Links zu importieren',
  overText: 'Vor dem Start wird nichts gesendet.',
  notAllowed: 'Ihre Rolle erlaubt das Importieren von Links nicht.',
  oneFile: 'Eine Datei auf einmal: Die erste wurde genommen.',
};

/** Words of dropping a file on any page, which the first load has. */
const useDropWords = createWords({ en, de });

// Browsers send dragover at least this often while something is over the page.
const silentMs = 600;

/** Takes a file of links that is dropped on any page, and shows that it does while one is dragged over it. */
export default function DropAnywhere() {
  const words = useDropWords();
  const navigate = useNavigate();
  const canCreate = useCan('shortLinks', 'create');
  const [isOver, setOver] = useState(false);

  const onDrop = useEffectEvent((event: DragEvent): void => {
    if (event.defaultPrevented || !isFileDrag(event.dataTransfer) || isDialogOpen()) return;
    event.preventDefault();
    const files = event.dataTransfer?.files;
    if (!canCreate || files?.[0] === undefined) return;
    if (files.length > 1) sayDone(words.oneFile);
    setDropped(files[0]);
    void navigate({ to: '/imports/new' });
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = (): void => setOver(false);
    const over = (event: DragEvent): void => {
      // Zones for pictures stop the event.
      if (event.defaultPrevented || !isFileDrag(event.dataTransfer) || isDialogOpen()) return;
      event.preventDefault();
      setOver(true);
      clearTimeout(timer);
      timer = setTimeout(hide, silentMs);
    };
    const drop = (event: DragEvent): void => onDrop(event);
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    addEventListener('drop', hide, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
      removeEventListener('drop', hide, true);
    };
  }, []);

  if (!isOver) return null;
  return (
    <div className={css.over} role="status">
      <div className={css.box}>
        <Icon name={canCreate ? 'import' : 'lock'} size={40} />
        <strong>{canCreate ? words.over : words.notAllowed}</strong>
        {canCreate && <span className="quiet">{words.overText}</span>}
      </div>
    </div>
  );
}
