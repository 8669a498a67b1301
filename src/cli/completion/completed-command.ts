import type { CommandOption } from '../command.ts';

/** What a shell completes of a command. */
export interface CompletedCommand {
  /** One to three words. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly takesArguments: boolean;
}

interface NextWord {
  readonly word: string;
  /** What a command does; of the first word of several commands, what those are. */
  readonly summary: string;
}

/** The words that may follow each beginning of a command: `''`, `data`, `data import`. */
export function nextWords(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly NextWord[]> {
  const after = new Map<string, Map<string, NextWord>>();
  for (const { name, summary } of commands) {
    const words = name.split(' ');
    for (const [at, word] of words.entries()) {
      const before = words.slice(0, at).join(' ');
      const isWhole = at === words.length - 1;
      const group = commands.filter((other) => other.name.startsWith(`${words.slice(0, at + 1).join(' ')} `));
      const list = group
        .map((other) =>
          other.name
            .split(' ')
            .slice(at + 1)
            .join(' '),
        )
        .join(', ');
      const next = after.get(before) ?? new Map<string, NextWord>();
      if (isWhole || !next.has(word)) next.set(word, { word, summary: isWhole ? firstSentence(summary) : list });
      after.set(before, next);
    }
  }
  return new Map([...after].map(([before, next]) => [before, [...next.values()]]));
}

/** Descriptions stand on one line of a terminal: up to the first full stop, colon or semicolon. */
export function firstSentence(text: string): string {
  return /^.+?(?=[.:;](\s|$))/s.exec(text)?.[0] ?? text;
}

/** `--output`, `-o`: every way an option is written. */
export function spellings(name: string, { short }: CommandOption): readonly string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
}
