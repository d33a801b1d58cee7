import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import css from './pages.module.css';

/** Steps through the pages of a list; nothing where one page holds all. @param page the first is 1. */
export function Pages({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const words = useUiWords();
  if (pages <= 1) return null;
  return (
    <nav className={css.pages} aria-label={words.pageOf(page, pages)}>
      <Button size="small" icon="back" isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
        {words.previousPage}
      </Button>
      <span className="tabular">{words.pageOf(page, pages)}</span>
      <Button size="small" isDisabled={page >= pages} onPress={() => onPage(page + 1)}>
        {words.nextPage}
      </Button>
    </nav>
  );
}
