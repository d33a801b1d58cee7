import { useState } from 'react';
import { Code } from '#console/ui/text/code.tsx';
import { useSecretWords } from './words.ts';
import { Tabs } from '#console/ui/page/tabs.tsx';
// oxlint-disable-next-line import/default -- Vite gives the text of the file
import typescript from './programs/verify.ts?raw';
import python from './programs/verify.py?raw';
import go from './programs/webhook.go?raw';
import php from './programs/verify.php?raw';

// A test runs each of them.
const programs = { TypeScript: typescript, Python: python, Go: go, PHP: php };
const languages = Object.keys(programs) as (keyof typeof programs)[];

/** Programs that verify a request, by language. */
export default function Programs() {
  const words = useSecretWords();
  const [shown, setShown] = useState(languages[0]!);
  return (
    <>
      <Tabs
        label={words.languages}
        current={shown}
        onChange={setShown}
        tabs={languages.map((id) => ({ id, label: id }))}
      />
      <Code text={programs[shown].trimEnd()} label={words.program(shown)} name={words.copiedProgram(shown)} />
    </>
  );
}
