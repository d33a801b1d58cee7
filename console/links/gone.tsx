import { createWords } from '#console/i18n/words.ts';
import { Gone } from '#console/ui/page/loaded.tsx';

const en = { title: 'There is no such link, or it was deleted', back: 'To the links' };
const de: typeof en = { title: 'Diesen Link gibt es nicht, oder er wurde gelöscht', back: 'Zu den Links' };
const useGoneWords = createWords({ en, de });

/** In the place of a page of a link that does not exist. */
export function LinkGone() {
  const words = useGoneWords();
  return <Gone icon="link" title={words.title} to="/links" back={words.back} />;
}
