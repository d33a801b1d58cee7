const isAscii = /^[\t-\r -~]*$/;

/**
 * The key under which names are equal without regard to case: Unicode full case folding of the NFC form, built from the
 * case mappings that JavaScript has, code point by code point so that a final sigma gets no special treatment.
 */
export function foldCase(name: string): string {
  // Most names: letter by letter they would come to the same.
  if (isAscii.test(name)) return name.toLowerCase();
  let folded = '';
  for (const character of name.normalize('NFC')) folded += foldCharacter(character);
  return folded.normalize('NFC');
}

function foldCharacter(character: string): string {
  // The dotless i is a letter of its own in CaseFolding.txt, but upper-cases to I.
  if (character === 'ı') return character;
  return character.toLowerCase().toUpperCase().toLowerCase();
}
