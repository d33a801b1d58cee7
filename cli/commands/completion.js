import { UsageError } from '../errors.js';
import { optionsOf } from '../options.js';

/** Prints a script for the shell, from the list of commands itself. @param {readonly { name: string, options: object }[]} commands */
export function completionCommand(commands) {
  return {
    name: 'completion',
    summary: 'Print a script that completes commands: bash, zsh or fish.',
    takes: 'SHELL',
    isWithoutKey: true,
    async run({ positionals: [shell], output }) {
      const script = scripts[shell];
      if (script === undefined) throw new UsageError('The shells are bash, zsh and fish.');
      const options = commands.map((command) => ({ name: command.name, options: Object.keys(optionsOf(command)) }));
      output.line(script(wordsOf(commands), options));
    },
  };
}

/** First words, and the words behind each of them. */
function wordsOf(commands) {
  const byFirst = Map.groupBy?.(commands, firstOf) ?? groupBy(commands);
  return [...byFirst].map(([first, group]) => ({
    first,
    next: group.map(({ name }) => name.split(' ')[1]).filter((word) => word !== undefined),
  }));
}

const firstOf = ({ name }) => name.split(' ')[0];

// Node 20 has no Map.groupBy.
function groupBy(commands) {
  const groups = new Map();
  for (const command of commands) groups.set(firstOf(command), [...(groups.get(firstOf(command)) ?? []), command]);
  return groups;
}

const flagsOf = (options) => options.map((name) => `--${name}`).join(' ');

const bash = (words, commands) => `_waymark() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [[ "$word" == -* ]]; then
    case "\${COMP_WORDS[*]:1:2} " in
${commands
  .map(({ name, options }) => `      "${name} "*) COMPREPLY=($(compgen -W "${flagsOf(options)}" -- "$word")) ;;`)
  .join('\n')}
    esac
    return
  fi
  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W "${words.map(({ first }) => first).join(' ')}" -- "$word")); return; fi
  [ "$COMP_CWORD" = 2 ] || return
  case "\${COMP_WORDS[1]}" in
${words
  .filter(({ next }) => next.length > 0)
  .map(({ first, next }) => `    ${first}) COMPREPLY=($(compgen -W "${next.join(' ')}" -- "$word")) ;;`)
  .join('\n')}
  esac
}
complete -o default -F _waymark waymark`;

const fishCondition = (name) =>
  name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');

const scripts = {
  bash,
  zsh: (words, commands) => `autoload -Uz bashcompinit && bashcompinit\n${bash(words, commands)}`,
  fish: (words, commands) =>
    [
      'complete -c waymark -n __fish_use_subcommand -f',
      ...words.map(({ first }) => `complete -c waymark -n __fish_use_subcommand -a ${first}`),
      ...words
        .filter(({ next }) => next.length > 0)
        .map(
          ({ first, next }) =>
            `complete -c waymark -n '__fish_seen_subcommand_from ${first}' -f -a '${next.join(' ')}'`,
        ),
      ...commands.flatMap(({ name, options }) =>
        options.map((option) => `complete -c waymark -n '${fishCondition(name)}' -l ${option}`),
      ),
    ].join('\n'),
};
