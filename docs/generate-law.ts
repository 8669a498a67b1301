import { ACTS, HOW_READ, OPEN_QUESTIONS, TABLES_AS_OF, TIMELINE } from '../src/law/acts.ts';
import { ANNEX, ANNEX_PERIODS, annexOn, type AnnexRow } from '../src/law/annex.ts';
import { COMMODITY_NAMES, EXCLUSIONS_BY_COMMODITY, GENERAL_EXCLUSIONS } from '../src/law/annex-rows.ts';
import { TIER_CONSEQUENCES, TIER_OF, TIERS } from '../src/law/country-tiers.ts';
import { DOWNSTREAM_BY_SIZE, ROLES } from '../src/law/roles.ts';
import { BINDING, ESTABLISHED_BY, SIZE_LIMITS } from '../src/law/undertakings.ts';
import { countryName } from '../src/readers/built-in/country-code.ts';

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The body of `docs/law.md`, from the tables of the law. */
export function lawSections(table: Table): string {
  return [
    INTRO,
    '## Timeline',
    table(
      ['Day', 'Act', 'What changed', 'Confidence'],
      TIMELINE.map(({ date, act, effect, confidence }) => [date, act, effect, marked(confidence)]),
    ),
    '## From when obligations bind',
    binding(table),
    '## Annex I',
    annex(table),
    '## Countries',
    countries(table),
    '## Roles',
    roles(table),
    '## What is uncertain',
    table(
      ['Question', 'Meanwhile'],
      OPEN_QUESTIONS.map(({ question, meanwhile }) => [question, meanwhile]),
    ),
  ].join('\n\n');
}

export const LAW_INTRO = `What Firstmile knows of ${ACTS.REG}, the EU deforestation regulation, as dated tables. ${HOW_READ} The tables end on ${TABLES_AS_OF.annex}, those of countries on ${TABLES_AS_OF.country_tiers}; an act published later is not in them. This is no legal advice.`;

const INTRO = `The same tables answer \`GET /eudr/scope\`, \`/eudr/annex\` and \`/eudr/countries\`, which need no token, \`firstmile eudr scope\`, \`eudr annex\` and \`eudr countries\`, and the [due diligence export](due-diligence.md).

\`\`\`sh
curl "http://127.0.0.1:8080/eudr/scope?cn=1801&country=Ghana&date=2026-12-30&role=operator&size=large"
npx firstmile eudr scope --cn "ex 4101" --date 2026-09-17
\`\`\`

\`in_scope\` is \`yes\`, \`no\`, \`depends\` (on the goods or on further digits: \`decides\` has the question) or \`unknown\` (the law read leaves it open: \`uncertain\` says why). The tables do not know which codes of the Combined Nomenclature exist.

**Confidence.** \`high\`: two or more independent sources agree. \`medium\`: one source read in full, or several that may copy each other. \`low\`: one indirect source. What is not high is marked in the tables below.`;

function marked(confidence: string): string {
  return confidence === 'high' ? confidence : `**${confidence}**`;
}

function binding(table: Table): string {
  return [
    table(
      ['Undertaking', 'Products of the annex of the old Timber Regulation', 'All other products of Annex I', 'Article'],
      [
        ['large and medium', BINDING.general, BINDING.general, 'Art 38(2)'],
        [
          `natural persons, micro and small, established as such by ${ESTABLISHED_BY}`,
          BINDING.general,
          BINDING.later,
          'Art 38(3)',
        ],
        [
          `micro and small, not established as such by ${ESTABLISHED_BY}`,
          BINDING.general,
          BINDING.general,
          'Art 38(3), read a contrario',
        ],
      ],
    ),
    `Two of three thresholds decide the size (Directive 2013/34/EU Art 3). Micro: ${SIZE_LIMITS.micro}. Small: ${SIZE_LIMITS.small}. States may set higher ones for small undertakings.`,
    `Wood harvested before 29 June 2023 and placed until 31 December 2029 stays under the old Timber Regulation (${ACTS.EUTR}; Art 37).`,
  ].join('\n\n');
}

function annex(table: Table): string {
  const periods = table(
    ['Period', 'From', 'To', 'Act', 'Content', 'Codes'],
    ANNEX_PERIODS.map(({ period, from, to, act, content }) => [
      period,
      from,
      to ?? 'no end known',
      ACTS[act],
      content,
      String(annexOn(from).length),
    ]),
  );
  const listed = (title: string, rows: readonly AnnexRow[]) => [
    `### ${title}`,
    table(
      ['Commodity', 'Code', 'Goods', 'From', 'To', 'Confidence'],
      rows.map((row) => [
        COMMODITY_NAMES[row.commodity],
        `${mark(row)}${row.code}`,
        row.goods ?? '–',
        row.maybeFrom === null ? row.validFrom : `${row.validFrom}, perhaps ${row.maybeFrom}`,
        row.validTo ?? '',
        marked(row.confidence),
      ]),
    ),
  ];
  const commodities = Object.entries(EXCLUSIONS_BY_COMMODITY).map(
    ([name, out]) => `${COMMODITY_NAMES[name as keyof typeof COMMODITY_NAMES].toLowerCase()}: ${out.join('; ')}`,
  );
  return [
    periods,
    'Obligations begin on 30 December 2026, so the list of period C is the first that binds anybody. "ex": only part of the goods under the code is listed; "?": whether the annex prints "ex" was not read. A code that is longer than a listed one belongs to it; of one that is shorter the further digits decide.',
    `Out since 18 September 2026, though their code is listed: ${GENERAL_EXCLUSIONS.join('; ')}. In addition, of ${commodities.join('. Of ')}.`,
    ...listed(
      'In force since 18 September 2026, or later',
      ANNEX.filter(({ act }) => act === 'DEL26'),
    ),
    ...listed(
      'The annex as adopted',
      ANNEX.filter(({ act }) => act === 'REG'),
    ),
  ].join('\n\n');
}

function mark({ ex }: AnnexRow): string {
  if (ex === null) return '? ';
  return ex ? 'ex ' : '';
}

function countries(table: Table): string {
  const named = (tier: string) =>
    [...TIER_OF]
      .filter(([, one]) => one === tier)
      .map(([code]) => `${countryName(code)} (${code})`)
      .join(', ');
  return [
    `${ACTS.BENCH} lists the low and the high ones; every other country is standard. The tier belongs to the country of production. Territories and disputed areas that the list does not name are not determined: treat them as standard, never as low. A low tier never proves a plot free of deforestation.`,
    table(
      ['Tier', 'Due diligence', 'Checks', 'Simplified declaration', 'Articles'],
      TIERS.map((tier) => {
        const { sentence, checks, simplifiedDeclaration, articles } = TIER_CONSEQUENCES[tier];
        return [tier, sentence, checks, simplifiedDeclaration ? 'possible' : 'no', articles.join(', ')];
      }),
    ),
    table(
      ['Tier', 'Countries'],
      TIERS.map((tier) => [`${tier} (${[...TIER_OF.values()].filter((one) => one === tier).length})`, named(tier)]),
    ),
  ].join('\n\n');
}

function roles(table: Table): string {
  return [
    table(
      ['`role`', 'Who', 'Duty', 'Keeps and passes on', 'Also', 'Articles'],
      Object.entries(ROLES).map(([name, { who, duty, keeps, passesOn, also, articles }]) => [
        `\`${name}\``,
        who,
        duty,
        [...keeps, ...passesOn].join('; '),
        also.join('; '),
        articles.join(', '),
      ]),
    ),
    `Downstream operators and traders by size. SME: ${DOWNSTREAM_BY_SIZE.sme.join('; ')}. Larger: ${DOWNSTREAM_BY_SIZE.non_sme.join('; ')}. What is said of roles has **medium** confidence.`,
  ].join('\n\n');
}
