import { firstSentence, nextWords, type CompletedCommand } from './completed-command.ts';

/** A script for fish: commands and options with what they do, files where a command takes arguments. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = [...nextWords(commands)].flatMap(([before, next]) =>
    next.map(
      ({ word, summary }) =>
        `complete -c firstmile -f -n '__firstmile_is ${quoted(before)}' -a ${word} -d ${quoted(summary, "'")}`,
    ),
  );
  const options = commands.flatMap(({ name, options: list, takesArguments }) => [
    ...(takesArguments ? [`complete -c firstmile -F -n '__firstmile_in ${quoted(name)}'`] : []),
    ...Object.entries(list).map(([option, { short, type, doc }]) =>
      [
        `complete -c firstmile -n '__firstmile_in ${quoted(name)}' -l ${option}`,
        ...(short === undefined ? [] : [`-s ${short}`]),
        ...(type === 'string' ? ['-r'] : []),
        `-d ${quoted(firstSentence(doc), "'")}`,
      ].join(' '),
    ),
  ]);
  return `# fish completion for firstmile; made by: firstmile completion fish
function __firstmile_words
  set -l words (commandline -opc)
  string match -v -- '-*' $words[2..-1]
end
function __firstmile_is
  test "$(string join ' ' -- (__firstmile_words))" = "$argv[1]"
end
function __firstmile_in
  string match -q -- "$argv[1] *" "$(string join ' ' -- (__firstmile_words) '')"
end
complete -c firstmile -f
${[...lines, ...options].join('\n')}
`;
}

/** Inside a condition, which is quoted itself, in double quotes. */
function quoted(text: string, mark: '"' | "'" = '"'): string {
  return mark === "'" ? `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : `"${text}"`;
}
