import type { PublicRegister } from '../../readers/producers/public-registers.ts';
import {
  getRegister,
  publicRegister,
  publicRegisters,
  type RegisterPlaces,
} from '../../service/datasets/get-register.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { QUIET_OPTION, readText, runImport } from './import-input.ts';

export const dataGet: Command = {
  args: [{ name: 'NAME', doc: 'The register, such as universal-mill-list; see --list.', required: false }],
  options: {
    list: { type: 'boolean', doc: 'Lists the registers with commodity, countries, licence, size and address.' },
    json: { type: 'boolean', doc: 'With --list: one JSON array instead of a table.' },
    from: {
      type: 'string',
      value: 'PLACE',
      doc: 'File or address of the register, instead of the file that its page names.',
    },
    quiet: QUIET_OPTION,
  },
  examples: [
    'npx firstmile data get --list',
    'npx firstmile data get trase-palm-mills-indonesia',
    'npx firstmile data get universal-mill-list --from mills.xlsx',
  ],
  async run(context) {
    const { args, config, err, options, out, signal } = context;
    if (options['list'] === true) {
      const registers = publicRegisters(config);
      out.write(options['json'] === true ? `${JSON.stringify(registers.map(listed), null, 2)}\n` : table(registers));
      return 0;
    }
    const register = registerNamed(args[0] ?? '', config);
    // Nobody is to use it without having seen on which terms.
    err.write(`${register.title}, ${register.licence}. ${register.terms}\n`);
    return runImport(
      context,
      ['rows'],
      (bar) => getRegister(config, register, readText(context, 'from'), (rows) => bar.update(rows, null), signal),
      ({ records, place, dataset }) =>
        `${records.length} records of ${place}, version ${dataset.version}. A running service uses registry ${register.id} from its next request on.\n`,
    );
  },
};

function registerNamed(id: string, places: RegisterPlaces): PublicRegister {
  try {
    return publicRegister(id, places);
  } catch (error) {
    throw new UsageError(`NAME: ${(error as Error).message}`, { cause: error });
  }
}

function listed({ id, what, commodity, countries, licence, terms, bytes, page }: PublicRegister) {
  return { name: id, what, commodity, countries, licence, terms, bytes, address: page };
}

function table(registers: readonly PublicRegister[]): string {
  const rows = registers.map(({ id, what, commodity, countries, licence, bytes, page }) => [
    id,
    what,
    commodity,
    countries.length > 4 ? `${countries.length} countries` : countries.join(' '),
    licence,
    bytes === null ? 'not known' : `${(bytes / 1e6).toFixed(1)} MB`,
    page,
  ]);
  return textTable(['name', 'what', 'commodity', 'countries', 'licence', 'size', 'address'], rows, []);
}
