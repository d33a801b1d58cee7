// Without letters that look or sound like others.
const consonants = 'bdfgkmnprstvz';
const vowels = 'aeiou';
const syllables = 4;

/** A slug that can be read out: four syllables of a consonant and a vowel, one of some 17 million. */
export function suggestSlug(): string {
  const random = crypto.getRandomValues(new Uint32Array(syllables * 2));
  return Array.from(random, (number, index) => {
    const letters = index % 2 === 0 ? consonants : vowels;
    return letters[number % letters.length];
  }).join('');
}
