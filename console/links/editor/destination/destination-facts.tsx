import { useDestinationPage } from './use-destination-page.ts';
import { useEditorWords } from '#console/links/editor/words.ts';
import css from '#console/links/editor/editor.module.css';

/**
 * What the page at the destination tells of itself, or why nothing answers there, in one line: the form does not move when it comes.
 * Nothing of it keeps a link from being saved.
 */
export function DestinationFacts({ destination }: { destination: string }) {
  const words = useEditorWords();
  const page = useDestinationPage(destination);
  if (page === undefined) return words.destinationHint;
  const { url, finalUrl, status, title, problem } = page;
  const { pageProblems } = words;
  const trouble =
    problem === 'status' && status !== null
      ? words.answers(status)
      : problem !== null && problem in pageProblems
        ? pageProblems[problem as keyof typeof pageProblems]
        : undefined;
  const isLedOn = status !== null && finalUrl !== (URL.parse(url)?.href ?? url);
  const facts = [title, isLedOn ? words.leadsOn(finalUrl) : null].filter((fact) => fact !== null);
  if (trouble === undefined && facts.length === 0) return words.destinationHint;
  const shown = trouble ?? facts.join(' · ');
  return (
    <span role="status" className={`clip ${css.facts} ${trouble === undefined ? '' : css.trouble}`} title={shown}>
      {shown}
    </span>
  );
}
