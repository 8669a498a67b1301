import type { ScopeAnswer } from '../../law/answer-scope.ts';
import { ROLES } from '../../law/roles.ts';
import { SIZES } from '../../law/undertakings.ts';
import { law } from '../../service/law/law.ts';
import { UsageError, type Command } from '../command.ts';
import { usageOf } from '../parts/usage-of.ts';
import { labelled } from './law-text.ts';

export const eudrScope: Command = {
  args: [],
  options: {
    cn: {
      type: 'string',
      value: 'CODE',
      doc: 'Code of the Combined Nomenclature, 2 to 10 digits: 1801, "4012 90 30".',
    },
    country: { type: 'string', value: 'COUNTRY', doc: 'Country of production: alpha-2, alpha-3 or name.' },
    date: { type: 'string', value: 'DATE', doc: 'Day of placing on the market or export; default today (UTC).' },
    role: { type: 'string', value: 'ROLE', doc: `One of ${Object.keys(ROLES).join(', ')}.` },
    size: { type: 'string', value: 'SIZE', doc: `One of ${SIZES.join(', ')}.` },
    established: {
      type: 'string',
      value: 'DATE',
      doc: 'Day on which the undertaking was established as a natural person, micro or small one.',
    },
    'timber-regulation': {
      type: 'string',
      value: 'yes|no',
      doc: 'Of wood: whether the product is also in the annex of Regulation (EU) No 995/2010.',
    },
    produced: { type: 'string', value: 'DATE', doc: 'Day of production; of wood its harvest, of cattle their birth.' },
    json: { type: 'boolean', doc: 'JSON instead of text, as GET /eudr/scope answers.' },
  },
  examples: [
    'npx firstmile eudr scope --cn 1801 --country Ghana --date 2026-12-30 --role operator --size large',
    'npx firstmile eudr scope --cn "ex 4101" --date 2026-09-17 --json',
  ],
  async run({ options, out }) {
    const word = (name: string) => options[name] as string | undefined;
    if (word('cn') === undefined) throw new UsageError('--cn is missing: wanted a code of the Combined Nomenclature');
    const answer = usageOf(() =>
      law.scope(
        {
          cn: word('cn'),
          country: word('country'),
          date: word('date'),
          role: word('role'),
          size: word('size'),
          established: word('established'),
          timberRegulation: yesOrNo(word('timber-regulation')),
          produced: word('produced'),
        },
        new Date().toISOString().slice(0, 10),
      ),
    );
    out.write(options['json'] === true ? `${JSON.stringify(answer, null, 2)}\n` : scopeText(answer));
    return 0;
  },
};

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  const word = text.toLowerCase();
  if (['yes', 'true', '1'].includes(word)) return true;
  if (['no', 'false', '0'].includes(word)) return false;
  throw new UsageError(`--timber-regulation: wanted yes or no, got "${text}"`);
}

/** The answer as lines of at most 80 columns. */
function scopeText(answer: ScopeAnswer): string {
  const { matched, country, obligations, duty, decides, as_of: asOf, annex_period: period } = answer;
  return labelled([
    ['In scope', answer.in_scope],
    ['', answer.sentence],
    ['Decides', decides?.question],
    ['Commodity', answer.commodity_name],
    [
      'Listed as',
      matched &&
        `${matched.ex === true ? 'ex ' : ''}${matched.code}${matched.goods === null ? '' : `, ${matched.goods}`}`,
    ],
    ['Nearby', answer.nearby.map(({ code }) => code).join(', ')],
    ['Other days', answer.history.length < 2 ? null : answer.history.map(spanText).join('; ')],
    ['Out', answer.exclusions.join('; ')],
    ['Annex I', period && `${period.period}: ${period.from} to ${period.to ?? 'no end known'}, ${period.act}`],
    ['Country', country && `${country.name} (${country.code}): ${tierText(country)}`],
    ['', country?.consequences],
    ['', country?.checks && `Checks: ${country.checks}.`],
    ['Binds from', obligations && (obligations.from ?? 'it depends')],
    ...(obligations === null || obligations.from !== null
      ? []
      : obligations.options.map(({ from, when }) => ['', `${from}: ${when}`] as const)),
    ['Duty', duty && duty.duty.replaceAll('_', ' ')],
    ['', duty?.sentence],
    ['If', duty?.conditions.join('; ')],
    ['Keep', duty?.keeps.join('; ')],
    ['Pass on', duty?.passes_on.join('; ')],
    ['Also', duty?.also.join('; ')],
    ['Articles', answer.articles.join(', ')],
    ['Unsaid', [...(obligations?.questions ?? []), ...(duty?.questions ?? [])].join(' ')],
    ['Confidence', answer.confidence],
    ['Uncertain', answer.uncertain.join(' ')],
    ['As of', `${asOf.date}; tables of ${asOf.annex}, countries of ${asOf.country_tiers}`],
    ['Notes', answer.notes.join(' ')],
  ]);
}

function tierText({ tier, treated_as: treatedAs }: NonNullable<ScopeAnswer['country']>): string {
  const word = tier.replaceAll('_', ' ');
  return treatedAs === null || treatedAs === tier ? `${word} risk` : `${word}, treat as ${treatedAs} risk`;
}

function spanText({ from, to, in_scope: inScope }: ScopeAnswer['history'][number]): string {
  const days = [...(from === null ? [] : [`from ${from}`]), ...(to === null ? [] : [`to ${to}`])].join(' ');
  return `${inScope} ${days}`;
}
