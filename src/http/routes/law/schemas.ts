import { Type, type TSchema } from 'typebox';
import { COMMODITY_NAMES } from '../../../law/annex-rows.ts';
import { TIERS } from '../../../law/country-tiers.ts';
import { DUTIES } from '../../../law/duty.ts';
import { ROLES } from '../../../law/roles.ts';
import { SIZES } from '../../../law/undertakings.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const words = (list: readonly string[], description = '') =>
  Type.Unsafe<string>({ type: 'string', enum: list, ...(description === '' ? {} : { description }) });
const Day = Type.String({ format: 'date' });
const Texts = (description: string) => Type.Array(Type.String(), { description });
const Confidence = words(
  ['high', 'medium', 'low'],
  'high: two or more independent sources agree. medium: one source read in full. low: something decisive is open.',
);
const MAX_TEXT = 100;

const DateParameter = Type.Optional(
  Type.String({
    maxLength: MAX_TEXT,
    description: 'Day of placing on the market or export, YYYY-MM-DD; default today (UTC).',
    examples: ['2026-12-30'],
  }),
);

export const DayQuery = Type.Object({ date: DateParameter }, { additionalProperties: false });

export const ScopeQuery = Type.Object(
  {
    cn: Type.String({
      maxLength: MAX_TEXT,
      description:
        'Code of the Combined Nomenclature of 2, 4, 6, 8 or 10 digits; spaces, dots and "ex" make no difference.',
      examples: ['1801', 'ex 4101', '4012 90 30'],
    }),
    country: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        description: 'Country of production: alpha-2, alpha-3 or name.',
        examples: ['GH'],
      }),
    ),
    date: DateParameter,
    role: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        description: `One of ${Object.keys(ROLES).join(', ')}.`,
        examples: ['operator'],
      }),
    ),
    size: Type.Optional(
      Type.String({ maxLength: MAX_TEXT, description: `One of ${SIZES.join(', ')}.`, examples: ['medium'] }),
    ),
    established: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        description:
          'Day on which the undertaking was established as a natural person, micro or small one: by 2024-12-31 it is bound later.',
        examples: ['2019-04-01'],
      }),
    ),
    timber_regulation: Type.Optional(
      Type.Boolean({
        description:
          'Of wood: whether the product is also in the annex of Regulation (EU) No 995/2010, which binds everybody at once.',
      }),
    ),
    produced: Type.Optional(
      Type.String({
        maxLength: MAX_TEXT,
        description: 'Day of production; of wood its harvest, of cattle their birth. Before 2023-06-29 is outside.',
        examples: ['2026-03-01'],
      }),
    ),
  },
  { additionalProperties: false },
);

const Entry = Type.Object(
  {
    code: Type.String({ description: 'As printed.', examples: ['4012 90 30'] }),
    ex: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Only part of the goods under the code is listed. null: whether the annex prints "ex" was not read.',
    }),
    commodity: words(Object.keys(COMMODITY_NAMES)),
    commodity_name: Type.String(),
    goods: Type.Union([Type.String(), Type.Null()], {
      description: 'Our words; null where the sources describe no goods.',
    }),
    valid_from: Day,
    valid_to: Type.Union([Day, Type.Null()], { description: 'Last day; null: no end is known.' }),
    act: Type.String(),
    ended_by: orNull(Type.String()),
    confidence: Confidence,
    source: Type.String(),
  },
  { description: 'A code of Annex I.' },
);

const Period = Type.Union(
  [
    Type.Object({
      period: words(['A', 'B', 'C', 'D']),
      from: Day,
      to: orNull(Day),
      act: Type.String(),
      content: Type.String(),
    }),
    Type.Null(),
  ],
  { description: 'Annex I stayed the same on these days; null before the regulation was in force.' },
);

const Country = Type.Object({
  code: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  name: Type.String(),
  tier: words(
    [...TIERS, 'not_determined', 'unknown'],
    'not_determined: the list does not settle it. unknown: no list was in force.',
  ),
  treated_as: Type.Union([words(TIERS), Type.Null()], {
    description: 'The tier whose consequences hold; never low where the tier is not.',
  }),
  since: orNull(Day),
  act: Type.String(),
  due_diligence: orNull(words(['simplified', 'full'])),
  consequences: orNull(Type.String()),
  checks: Type.Union([Type.String(), Type.Null()], { description: 'Least share that authorities check.' }),
  simplified_declaration: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether micro and small primary operators of the country may file one.',
  }),
  articles: Texts('Of Regulation (EU) 2023/1115 as amended.'),
  confidence: Confidence,
  notes: Texts('What else to know.'),
});

const Obligations = Type.Object(
  {
    from: Type.Union([Day, Type.Null()], { description: 'null: it depends; `options` has the days.' }),
    options: Type.Array(Type.Object({ from: Day, when: Type.String() })),
    article: Type.String(),
    confidence: Confidence,
    questions: Texts('What would decide.'),
    binding: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether they bind on the day; null where it depends.',
    }),
  },
  { description: 'From when obligations bind the undertaking.' },
);

const DutySchema = Type.Object(
  {
    duty: words(
      DUTIES,
      'full_statement: due diligence in full and a statement. simplified_due_diligence: a statement after due diligence without assessment and mitigation of risk (Art 13), under `conditions`. simplified_declaration: one declaration, once (Art 4a). none: nothing is filed.',
    ),
    sentence: Type.String(),
    conditions: Texts('What has to hold for it.'),
    keeps: Texts('What is kept.'),
    passes_on: Texts('What is passed on with the goods.'),
    also: Texts('What else the role owes or may do.'),
    articles: Texts('Of Regulation (EU) 2023/1115 as amended.'),
    confidence: Confidence,
    questions: Texts('What would decide.'),
  },
  { description: 'What the role owes, if the product is in scope.' },
);

export const ScopeAnswerSchema = Type.Object(
  {
    as_of: Type.Object(
      { date: Day, annex: Day, country_tiers: Day, obligations: Day },
      {
        description: 'The day of the answer, and the days up to which the tables were compared with the published law.',
      },
    ),
    cn: Type.String({ description: 'The digits that were looked up.' }),
    in_scope: words(
      ['yes', 'no', 'depends', 'unknown'],
      'depends: on the goods or on further digits, see `decides`. unknown: the law read leaves it open.',
    ),
    sentence: Type.String(),
    decides: orNull(
      Type.Object({
        by: words(['goods', 'digits', 'law']),
        question: Type.String({ description: 'What decides.' }),
      }),
    ),
    commodity: orNull(words(Object.keys(COMMODITY_NAMES))),
    commodity_name: orNull(Type.String()),
    matched: orNull(Entry),
    narrower: Type.Array(Entry, { description: 'Listed codes that are longer than the one in question.' }),
    nearby: Type.Array(Entry, { description: 'Of a code that is not listed: listed ones of its heading or chapter.' }),
    since: Type.Union([Day, Type.Null()], { description: 'Since when the code is, or is not, listed; null: ever.' }),
    until: Type.Union([Day, Type.Null()], { description: 'Last day of it; null: no end is known.' }),
    history: Type.Array(
      Type.Object({ from: orNull(Day), to: orNull(Day), in_scope: words(['yes', 'no', 'depends', 'unknown']) }),
      { description: 'The answers for the code on other days.' },
    ),
    exclusions: Texts('What is out although its code is listed.'),
    annex_period: Period,
    country: orNull(Country),
    obligations: orNull(Obligations),
    role: orNull(words(Object.keys(ROLES))),
    size: orNull(words(SIZES)),
    duty: orNull(DutySchema),
    articles: Texts('Of Regulation (EU) 2023/1115 as amended, unless another act is named.'),
    confidence: Confidence,
    uncertain: Texts('What is uncertain, and why.'),
    notes: Texts('What else to know.'),
  },
  { description: 'The answer.' },
);

export const AnnexSchema = Type.Object(
  {
    as_of: Type.Object({ date: Day, annex: Day }),
    period: Period,
    count: Type.Integer(),
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Codes by commodity.' }),
    codes: Type.Array(Entry),
    how_read: Type.String(),
  },
  { description: 'Annex I on the day.' },
);

export const CountriesSchema = Type.Object(
  {
    as_of: Type.Object({ date: Day, country_tiers: Day }),
    act: Type.String(),
    since: Day,
    counts: Type.Record(Type.String(), Type.Integer(), { description: 'Countries by tier.' }),
    countries: Type.Array(Country),
    not_listed: Type.String(),
    how_read: Type.String(),
  },
  { description: 'The tiers on the day.' },
);
