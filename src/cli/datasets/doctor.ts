import { openServiceCatalogue } from '../../service/datasets/catalogue.ts';
import { fetchedThings } from '../../service/outside/fetched-contracts.ts';
import { checkContracts, type ListedContract } from '../../service/outside/list-contracts.ts';
import type { Command } from '../command.ts';
import { commandLog } from '../parts/command-log.ts';
import { textTable } from '../parts/text-table.ts';
import { TERMINAL_COLUMNS, wrapText } from '../parts/wrap-text.ts';

export const dataDoctor: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of a table.' } },
  examples: ['npx firstmile data doctor', 'npx firstmile data doctor --json | jq .'],
  async run({ options, config, out, err, signal }) {
    const { datasets } = await openServiceCatalogue(config, commandLog(config, err));
    const found = await checkContracts(datasets, fetchedThings(config), config, signal);
    out.write(
      options['json'] === true
        ? `${JSON.stringify(
            found.map(({ info, ...dataset }) => ({ ...dataset, ...info })),
            null,
            2,
          )}\n`
        : doctorTable(found),
    );
    const faults = found.filter(({ info }) => info.state === 'broken' || info.state === 'unreachable').length;
    if (options['json'] !== true) err.write(`${summary(found, faults)}\n`);
    return faults === 0 ? 0 : 1;
  },
};

/** A row for each dataset at an address. What is wrong and what to do stand below it, since both are long. */
function doctorTable(found: readonly ListedContract[]): string {
  if (found.length === 0) return 'No dataset of the catalogue is at an address.\n';
  const table = textTable(
    ['dataset', 'held', 'last held', 'answered by'],
    found.map(({ dataset, info }) => [dataset, WORDS[info.state], whenOf(info.held_at), info.mirror ?? '-']),
  );
  if (isOffline(found)) return table;
  const notes = found.flatMap(({ dataset, info: { fault, remedy, newer, state } }) => {
    const lines = [
      ...(fault === null ? [] : [`What is wrong: ${fault}.`]),
      ...(newer === null || state !== 'held' ? [] : [`Version ${newer} is out.`]),
      ...(state === 'unstated' ? ['Not checked: nothing is named that could be looked at.'] : []),
      ...(state === 'held' || remedy === null ? [] : [`What to do: ${remedy}.`]),
    ];
    return lines.length === 0 ? [] : [[dataset, ...lines.flatMap(wrapped)].join('\n')];
  });
  return notes.length === 0 ? table : `${table}\n${notes.join('\n\n')}\n`;
}

/** A sentence in lines of a terminal, indented. */
function wrapped(text: string): readonly string[] {
  return wrapText(text, TERMINAL_COLUMNS - 4).map((line, i) => (i === 0 ? `  ${line}` : `    ${line}`));
}

const WORDS = { held: 'yes', broken: 'no', unreachable: 'not reached', unstated: '-', unchecked: '-' } as const;

function whenOf(iso: string | null): string {
  return iso === null ? 'never' : iso.slice(0, 16).replace('T', ' ');
}

function summary(found: readonly ListedContract[], faults: number): string {
  if (faults === 0) return 'All contracts hold.';
  if (isOffline(found))
    return 'This machine has no network: nothing could be checked. Answers come from the data on it.';
  return `${faults} of ${found.length} datasets are not what they should be. What depends on them is unknown.`;
}

/** Whether no host was reached, and that for want of a network. */
function isOffline(found: readonly ListedContract[]): boolean {
  const checked = found.filter(({ info }) => info.state !== 'unstated');
  return (
    checked.length > 0 && checked.every(({ info }) => info.fault?.includes('this machine has no network') === true)
  );
}
