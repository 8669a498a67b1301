import { TIERS } from '../../law/country-tiers.ts';
import { law } from '../../service/law/law.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { TERMINAL_COLUMNS, wrapText } from '../parts/wrap-text.ts';
import { usageOf } from '../parts/usage-of.ts';

export const eudrCountries: Command = {
  args: [],
  options: {
    date: { type: 'string', value: 'DATE', doc: 'The day; default today (UTC).' },
    tier: { type: 'string', value: 'TIER', doc: `Only those of one tier: ${TIERS.join(', ')}.` },
    json: { type: 'boolean', doc: 'JSON instead of a table, as GET /eudr/countries answers.' },
  },
  examples: ['npx firstmile eudr countries', 'npx firstmile eudr countries --tier high'],
  async run({ options, out, err }) {
    const tier = (options['tier'] as string | undefined)?.toLowerCase();
    if (tier !== undefined && !(TIERS as readonly string[]).includes(tier))
      throw new UsageError(`--tier: wanted ${TIERS.join(', ')}, got "${tier}"`);
    const answer = usageOf(() =>
      law.countries(options['date'] as string | undefined, new Date().toISOString().slice(0, 10)),
    );
    const countries = answer.countries.filter((country) => tier === undefined || country.tier === tier);
    if (options['json'] === true) out.write(`${JSON.stringify({ ...answer, countries }, null, 2)}\n`);
    else {
      out.write(
        textTable(
          ['Code', 'Country', 'Tier', 'Due diligence'],
          countries.map((country) => [country.code, country.name, country.tier, country.due_diligence ?? '']),
        ),
      );
      const counts = TIERS.map((word) => `${answer.counts[word]} ${word}`).join(', ');
      const note = `${counts}; ${answer.act}, since ${answer.since}. ${answer.not_listed}`;
      err.write(`${wrapText(note, TERMINAL_COLUMNS).join('\n')}\n`);
    }
    return 0;
  },
};
