import { useAppWords } from '#console/app/words.ts';

/** Where to ask about a suspension or a take-down. @param contact a URI; null: the installation names none. */
export function AskOperator({ contact }: { contact: string | null }) {
  const words = useAppWords();
  if (contact === null) return words.askOperator;
  return (
    <>
      {words.askAt} <a href={contact}>{contact.replace(/^(?:mailto|tel):/, '')}</a>
    </>
  );
}
