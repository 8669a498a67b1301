import { firstSentence, nextWords, spellings, type CompletedCommand } from './completed-command.ts';
import type { CommandOption } from '../command.ts';

/** A script for zsh: commands and options with what they do, files where a command takes arguments. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const chains = nextWords(commands);
  const known = [...chains].flatMap(([before, next]) => next.map(({ word }) => `${before} ${word}`.trim()));
  return `#compdef firstmile
# zsh completion for firstmile; made by: firstmile completion zsh
_firstmile() {
  local chain="" next
  local -i i
  local -a names
  for ((i = 2; i < CURRENT; i++)); do
    next="\${chain:+$chain }\${words[i]}"
    case "$next" in
      ${known.map((chain) => `"${chain}"`).join(' | ')}) chain=$next ;;
      *) break ;;
    esac
  done
  case "$chain" in
${[...chains].map(([before, next]) => describe(before, next)).join('\n')}
  esac
  (( \${#names} )) && { _describe command names; return }
  words=(firstmile "\${(@)words[i,-1]}")
  (( CURRENT -= i - 2 ))
  case "$chain" in
${commands.map(argumentsOf).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _firstmile "$@"; else compdef _firstmile firstmile; fi
`;
}

function describe(before: string, next: readonly { readonly word: string; readonly summary: string }[]): string {
  return `    "${before}") names=(${next.map(({ word, summary }) => quoted(`${word}:${summary}`)).join(' ')}) ;;`;
}

function argumentsOf({ name, options, takesArguments }: CompletedCommand): string {
  const specs = Object.entries(options).flatMap(([option, described]) =>
    spellings(option, described).map((spelling) => quoted(spelling + specOf(described))),
  );
  return `    "${name}") _arguments ${[...specs, "'--help[Explains the command]'", ...(takesArguments ? ["'*:file:_files'"] : [])].join(' ')} ;;`;
}

function specOf({ type, value = 'VALUE', doc }: CommandOption): string {
  const text = `[${firstSentence(doc).replaceAll(/[[\]]/g, String.raw`\$&`)}]`;
  return type === 'boolean' ? text : `${text}:${value.replaceAll(':', ' ')}:_files`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
