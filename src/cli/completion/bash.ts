import { nextWords, spellings, type CompletedCommand } from './completed-command.ts';

/** A script for bash: commands and options by name, files everywhere else. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const chains = nextWords(commands);
  const known = [...chains].flatMap(([before, next]) => next.map(({ word }) => `${before} ${word}`.trim()));
  return `# bash completion for firstmile; made by: firstmile completion bash
_firstmile() {
  local cur=\${COMP_WORDS[COMP_CWORD]} chain="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${chain:+$chain }\${COMP_WORDS[i]}"
    case "$next" in
      ${known.map((chain) => `"${chain}"`).join(' | ')}) chain=$next ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case "$chain" in
${[...chains]
  .map(([before, next]) =>
    branch(
      before,
      next.map(({ word }) => word),
    ),
  )
  .join('\n')}
  esac
  case "$cur" in -*) ;; *) return ;; esac
  case "$chain" in
${commands.map(({ name, options }) => branch(name, optionWords(options))).join('\n')}
  esac
}
complete -o bashdefault -o default -F _firstmile firstmile
`;
}

function branch(chain: string, words: readonly string[]): string {
  return `    "${chain}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$cur")) ;;`;
}

function optionWords(options: CompletedCommand['options']): readonly string[] {
  return [...Object.entries(options).flatMap(([name, option]) => spellings(name, option)), '--help'];
}
