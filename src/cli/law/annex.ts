import { law, type AnnexAnswer } from '../../service/law/law.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { usageOf } from '../parts/usage-of.ts';

export const eudrAnnex: Command = {
  args: [],
  options: {
    date: { type: 'string', value: 'DATE', doc: 'The day; default today (UTC).' },
    json: { type: 'boolean', doc: 'JSON instead of a table, as GET /eudr/annex answers.' },
  },
  examples: ['npx firstmile eudr annex', 'npx firstmile eudr annex --date 2027-12-30'],
  async run({ options, out, err }) {
    const answer = usageOf(() =>
      law.annex(options['date'] as string | undefined, new Date().toISOString().slice(0, 10)),
    );
    if (options['json'] === true) out.write(`${JSON.stringify(answer, null, 2)}\n`);
    else {
      out.write(annexTable(answer));
      err.write(summary(answer));
    }
    return 0;
  },
};

/** The codes as a table of at most 80 columns. */
function annexTable({ codes }: AnnexAnswer): string {
  const marks = { true: 'ex', false: '', null: '?' } as const;
  return textTable(
    ['', 'Code', 'Commodity', 'Goods', 'From', 'To'],
    codes.map((row) => [
      marks[String(row.ex) as keyof typeof marks],
      row.code,
      row.commodity_name,
      short(row.goods ?? ''),
      row.valid_from,
      row.valid_to ?? '',
    ]),
  );
}

/** Room for the goods in 80 columns. */
const GOODS = 30;

function short(text: string): string {
  return text.length <= GOODS ? text : `${text.slice(0, GOODS - 3)}...`;
}

function summary({ as_of: asOf, count, period }: AnnexAnswer): string {
  if (period === null) return `On ${asOf.date} the regulation was not in force.\n`;
  return `${count} codes on ${asOf.date}. "ex": only part of the goods; "?": not read.\n${period.act}. Tables of ${asOf.annex}.\n`;
}
