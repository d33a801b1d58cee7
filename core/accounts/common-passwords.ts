import { splitWords } from '#core/lib/text/split-words.ts';

/*
 * Passwords that are guessed first. Words that many people choose are held here without the digits, signs and capitals that
 * they hang on, which `isCommonPassword` takes off before it looks: `Passw0rd!`, `password123` and `PASSWORD` are one entry.
 */
const words = new Set(
  splitWords(`
  password passwort passwords passwd pass passcode passphrase passme mypassword mypass yourpassword thepassword newpassword
  oldpassword defaultpassword default changeme changethis changeit changemenow pleasechange letmein letmeinnow letmeinplease
  openup opensesame sesame secret secrets topsecret mysecret verysecret secretpassword supersecret access accessme accesscode
  login logon loginme signin welcome welcomehome welcomeback admin administrator administrateur adminadmin adminpass
  adminpassword sysadmin superuser superadmin root rootroot rootpass toor user username useruser guest guestguest test tester
  testtest testing testme testpass testpassword testuser demo demodemo example sample temp temporary temppass master
  masterkey webmaster hostmaster postmaster operator manager service server system system32 oracle database postgres
  postgresql mysql mongodb redis cisco ubuntu debian linux windows microsoft apple google facebook twitter instagram amazon
  samsung internet computer laptop desktop network security private nothing whatever something anything everything unknown
  hello hellohello hellothere helloworld hellokitty goodbye thankyou please sorry imsorry trustno trustnoone trustme
  iloveyou iloveu loveyou ilovejesus ilovegod iloveme ihateyou lovelove loveme lovely lover lovers mylove truelove forever
  foreverlove always sweetheart sweetie sweety darling honey honeybun babygirl babyboy baby bigboy bigdaddy bigdog princess
  princesa prince queen king kingking angel angels angelina angelito heaven jesus jesuschrist christ jesusislord godisgood
  blessed blessing faith believe trinity
  sunshine moonlight starlight rainbow butterfly flower flowers sunflower summer winter spring autumn january february march
  april june july august september october november december monday tuesday wednesday thursday friday saturday sunday
  weekend holiday birthday christmas vacation
  monkey monkeys dragon dragons dragonball tiger tigger lion panther leopard eagle eagles falcon falcons raven ravens wolf
  wolves bear bears bulldog puppy kitten kitty cat cats dog dogs doggy horse horses pony turtle dolphin dolphins shark spider
  scorpion phoenix unicorn penguin chicken buster bandit lucky shadow ginger pepper peanut cookie cookies chocolate cheese
  banana apples orange cherry strawberry pumpkin coffee pizza hunter ranger rangers
  football footballs soccer baseball basketball hockey tennis golf golfer cricket volleyball swimming running skateboard
  snowboard surfing boxing wrestling karate liverpool arsenal chelsea chelseafc manchester manutd manunited barcelona
  realmadrid juventus milan bayern benfica yankees redsox cowboys lakers steelers patriots packers giants raiders broncos
  dodgers cardinals
  superman batman spiderman ironman wolverine hulk joker robin superstar superhero pokemon pikachu naruto starwars startrek
  skywalker jedi yoda gandalf matrix terminator metallica nirvana slipknot eminem beatles rockstar rocknroll rock guitar
  music musica hiphop blink minecraft roblox fortnite warcraft starcraft counterstrike playstation nintendo mario zelda xbox
  gaming gamer player
  michael michelle jennifer jessica jordan joshua justin daniel daniela danielle david andrew andrea anthony ashley amanda
  alexander alexandra alexandre alejandro benjamin brandon brittany carlos carolina caroline charles charlie charlotte chris
  christian christina christine christopher claudia diana dominic edward elizabeth eric fernando francisco gabriel gabriela
  george hannah harley heather isabella jack jackson jacob james jasmine jason jonathan jose joseph juan julia karen katie
  kevin kimberly laura lauren leonardo linda lisa louise lucas madison maria mariana martin matthew maximilian melissa
  mercedes miguel monica morgan natalia natalie nathan nicholas nicole olivia oscar pamela patricia patrick paula peter
  rachel rafael rebecca ricardo richard robert roberto samantha samuel sandra sarah sebastian sophia sophie stephanie
  stephen steven susan sydney taylor teresa thomas tiffany valentina vanessa veronica victor victoria vincent william
  alexis allison amber austin bailey barbara brooklyn cameron cassie chelsea courtney crystal destiny dakota diamond
  america american australia brazil brasil canada china england france germany deutschland india ireland italia italy japan
  mexico poland russia scotland spain sweden turkey ukraine london paris berlin moscow newyork california florida texas
  chicago boston dallas denver houston
  freedom liberty justice peace happy happiness smile smiley friend friends friendship family mother father mommy daddy
  mamma mama papa sister brother brothers grandma teacher student school college university business marketing company
  office money dollar dollars million millionaire bitcoin crypto success winner champion champions legend killer assassin
  death demon devil hell satan lucifer vampire zombie ghost monster warrior samurai ninja pirate soldier marine marines
  army navy sniper gunner maverick thunder lightning storm tornado hurricane fire firefire phantom mustang corvette camaro
  porsche ferrari lamborghini mercedesbenz bmw audi toyota honda yamaha kawasaki suzuki ducati harleydavidson chevy
  chevrolet dodge jeep truck trucker
  silver golden purple yellow orange green greenday blue bluebird black blackcat blackie white red redrum
  sexy sexygirl sexyboy hottie hotgirl naughty pussy fuckyou fuckme fuckoff fucker motherfucker asshole bitch bullshit
  boobs biteme blowme dickhead penis viagra
  qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm yxcvbnm qazwsx qazwsxedc qweasd
  qweasdzxc qweqwe qweasdzx asdasd asdqwe asdf asdfasdf asdfjkl zxcasd zxcasdqwe wsxedc poiuytrewq lkjhgfdsa mnbvcxz
  passwordpassword contrasena contraseña motdepasse motdepass senha minhasenha parola haslo heslo wachtwoord geheim
  losenord salasana sifre kodeord wordpass drowssap
  hallo hallohallo schatz schatzi sommer ichliebedich teamo tequiero tequieromucho teamomucho jetaime bonjour soleil doudou
  amour chouchou loulou hola holahola amor amorcito mivida estrella corazon ciao ciaociao amore amoremio
  waymark waymarkadmin shortlink shortlinks
  `),
);

/** Without a word in them: walks over the keyboard and other rows of signs. */
const exact = new Set(
  splitWords(`
  1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4 q1w2e3r4t5 1qaz2wsx 1qaz2wsx3edc 2wsx3edc 1qazxsw2 zaq12wsx zaq1xsw2 zaq1zaq1
  qaz123wsx qwe123qwe asd123asd 123qwe123 123qweasd 123qweasdzxc qwe123asd 123asd123 1a2b3c4d a1b2c3d4 a1b2c3d4e5
  abcd1234 1234abcd abc12345 12345abc aa123456 aa12345678 123456aa a123456a a12345678 12345678a 123456789a 1234567a
  123123123 123321123 12344321 123454321 1234554321 147258369 147852369 159357456 159753456 789456123 741852963 963852741
  11223344 1122334455 44332211 00112233 10203040 102030405060 13579246 12131415 31415926 314159265 27182818 p@ssw0rd
  password1 pa55word pa55w0rd pass1234 1234pass test1234 1234test user1234 admin123 root1234 temp1234 love1234
  1234qwer qwer1234 1234qwerty qwerty12 12qwaszx qwerty123456 azerty123 asdf1234 1234asdf zxcv1234 zxcvbnm1 q2w3e4r5
  0987654321 9876543210 1029384756 5201314 woaini1314 woaini520 1314520520 a5201314 nopassword ncc1701d thx1138a
  `),
);

const rows = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiopü',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  '`1234567890-=',
  '!@#$%^&*()_+',
  '!"§$%&/()=',
];
const walks = rows.flatMap((row) => [row, Array.from(row).toReversed().join('')]);

const leet: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
};
// With more digits and signs around it, a word has too many variants to be guessed first.
const longestDecoration = 6;
const shortestOwnWord = 4;
const longestPattern = 6;

/**
 * Whether guessers try a password first: a common word (capitals, digits for letters and up to six digits or signs around it do
 * not hide it), a walk over the keyboard, few characters repeated, or a word about the person.
 * @param own words about the person: e-mail, name, organization; of an e-mail its parts too.
 */
export function isCommonPassword(password: string, own: readonly string[] = []): boolean {
  const folded = fold(password);
  if (exact.has(folded) || isRepeated(folded) || isWalk(folded)) return true;
  const cores = coresOf(folded);
  if (cores.some((core) => words.has(core) || (core !== folded && isWalk(core)))) return true;
  const ownWords = new Set(own.flatMap(ownWordsOf));
  return [folded, ...cores].some((core) => ownWords.has(lettersAndDigits(core)));
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

/** The word inside a password: as it is, and with letters for the digits that stand for them. */
function coresOf(folded: string): string[] {
  const bare = (text: string): string | undefined => {
    const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
    return core !== '' && text.length - core.length <= longestDecoration ? core : undefined;
  };
  const spaceless = folded.replaceAll(/[\s._-]/gu, '');
  // Signs at the ends are decoration, inside they stand for letters: p@ssw0rd!1 is password.
  const inside = bare(spaceless);
  const found = [inside, inside && bare(unleet(inside)), bare(unleet(spaceless)), unleet(spaceless)];
  return [...new Set(found.filter((core) => core !== undefined))];
}

function unleet(text: string): string {
  return text.replaceAll(/[013457@$!|]/g, (sign) => leet[sign]!);
}

/** Whether it repeats a pattern of at most six characters. */
function isRepeated(text: string): boolean {
  const characters = Array.from(text);
  for (let length = 1; length <= longestPattern; length += 1) {
    if (characters.length >= length * 2 && characters.every((character, at) => character === characters[at % length]))
      return true;
  }
  return false;
}

/** Whether it consists of neighbours on the keyboard, in the alphabet or among the digits, in at most two pieces. */
function isWalk(text: string): boolean {
  if (text.length < 6) return false;
  const isStep = (part: string): boolean => part.length >= 3 && walks.some((walk) => walk.includes(part));
  if (walks.some((walk) => walk.includes(text))) return true;
  for (let at = 3; at <= text.length - 3; at += 1) if (isStep(text.slice(0, at)) && isStep(text.slice(at))) return true;
  return false;
}

function ownWordsOf(own: string): string[] {
  const folded = fold(own);
  const [local = '', host = ''] = folded.split('@');
  const name = host.split('.').slice(0, -1);
  return [folded, local, host, ...name, ...folded.split(/[\s@]+/)]
    .map(lettersAndDigits)
    .filter((word) => word.length >= shortestOwnWord);
}

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '');
}
