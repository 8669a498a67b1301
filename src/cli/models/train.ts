import type { Command } from '../command.ts';

export const modelsTrain: Command = {
  args: [],
  options: {
    labels: {
      type: 'string',
      short: 'l',
      value: 'FILE',
      doc: 'Labelled points in any format of locations; optional columns: year, region, A00 to A63.',
    },
    name: { type: 'string', short: 'n', value: 'NAME', doc: 'Name of the head: a-z, 0-9 and "-".' },
    commodity: {
      type: 'string',
      value: 'COMMODITY',
      doc: 'What the head answers for: a commodity, plantation or built-up. Without it the head is stored, and not used.',
    },
    column: { type: 'string', value: 'NAME', doc: 'Column with the label; default label.' },
    positive: {
      type: 'string',
      value: 'CLASS',
      doc: 'The label that means "there"; all others mean "not there". Without it labels are 1 and 0, or true and false.',
    },
    block: {
      type: 'string',
      value: 'DEGREES',
      doc: 'Side of the blocks that are never split between fitting and evaluation; default 0.1.',
    },
    licence: { type: 'string', value: 'TEXT', doc: 'Licence of the labels, shown wherever the head is used.' },
    attribution: { type: 'string', value: 'TEXT', doc: 'Whom to credit for the labels.' },
    replace: { type: 'boolean', doc: 'Take the place of a trained head of the same name.' },
    json: { type: 'boolean', doc: 'The receipt as JSON instead of a report.' },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress.' },
  },
  examples: [
    'npx firstmile models train --labels soy.geojson --name soy-2024 --commodity soy',
    'npx firstmile models train -l cover.csv --column class --positive pasture -n pasture --commodity cattle --block 0.5',
  ],
  async run(context) {
    // Not loaded before it is needed: the other commands start faster without it.
    const { runModelsTrain } = await import('./train-run.ts');
    return await runModelsTrain(context);
  },
};
