import { useState } from 'react';
import { Code } from '#console/ui/code.tsx';
import { useSecretWords } from './words.ts';
// oxlint-disable-next-line import/default -- Vite gives the text of the file
import typescript from './programs/verify.ts?raw';
import python from './programs/verify.py?raw';
import go from './programs/webhook.go?raw';
import php from './programs/verify.php?raw';
import css from '#console/webhooks/webhooks.module.css';

// A test runs each of them.
const programs = { TypeScript: typescript, Python: python, Go: go, PHP: php };
const languages = Object.keys(programs) as (keyof typeof programs)[];

/** Programs that verify a request, by language. */
export default function Programs() {
  const words = useSecretWords();
  const [shown, setShown] = useState(languages[0]!);
  return (
    <>
      <div className={css.tabs} role="group" aria-label={words.languages}>
        {languages.map((language) => (
          <button
            key={language}
            type="button"
            aria-pressed={shown === language}
            className={css.tab}
            onClick={() => setShown(language)}
          >
            {language}
          </button>
        ))}
      </div>
      <Code text={programs[shown].trimEnd()} label={words.program(shown)} name={words.copiedProgram(shown)} />
    </>
  );
}
