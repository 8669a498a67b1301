import { UsageError, type BareCommand, type CommandEntry } from '../command.ts';
import { bashCompletion } from './bash.ts';
import type { CompletedCommand } from './completed-command.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completion: BareCommand = {
  args: [{ name: 'SHELL', doc: `One of ${Object.keys(SHELLS).join(', ')}.`, required: true }],
  options: {},
  examples: [
    'firstmile completion bash > ~/.local/share/bash-completion/completions/firstmile',
    'firstmile completion zsh > "${fpath[1]}/_firstmile"',
    'firstmile completion fish > ~/.config/fish/completions/firstmile.fish',
  ],
  async runBare({ args, out, commands }) {
    const [shell = ''] = args;
    const render = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (render === undefined)
      throw new UsageError(`SHELL: wanted one of ${Object.keys(SHELLS).join(', ')}, got "${shell}"`);
    out.write(render(await completedCommands(commands)));
    return 0;
  },
};

/** The commands with their options, loaded from the table. */
function completedCommands(commands: readonly CommandEntry[]): Promise<readonly CompletedCommand[]> {
  return Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const { options, args } = await load();
      return { name, summary, options, takesArguments: args.length > 0 };
    }),
  );
}
