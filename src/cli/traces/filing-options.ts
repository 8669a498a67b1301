import { readFile } from 'node:fs/promises';
import { EXCLUDABLE, parseExclude } from '../../collections/due-diligence/exclude.ts';
import { PLACES, type Places } from '../../collections/due-diligence/filing-choices.ts';
import type { FilingRequest } from '../../service/traces/traces.ts';
import type { CommodityAnswers, FilingAnswers } from '../../traces/draft/complete-draft.ts';
import { TRACES_ENVIRONMENTS, type TracesEnvironment } from '../../traces/interface-v3.ts';
import { FILING_KINDS, type FilingKind } from '../../traces/messages/statement.ts';
import { isRecord } from '../../is-record.ts';
import { UsageError, type CommandOption } from '../command.ts';

type Options = Readonly<Record<string, string | boolean | undefined>>;

export const ENVIRONMENT_OPTION = {
  environment: {
    type: 'string',
    value: 'NAME',
    doc: 'acceptance, production (needs TRACES_PRODUCTION=on) or test; default acceptance, or test with TRACES_TEST_URL.',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export const CONFIRM_OPTION = {
  confirm: {
    type: 'string',
    value: 'TEXT',
    doc: 'In production: the text that the command names; otherwise it is typed.',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** What completes a draft. */
export const ANSWER_OPTIONS = {
  answers: {
    type: 'string',
    value: 'FILE',
    doc: 'JSON file with answers, as `answers` of `POST /traces/check`; - reads standard input. Options below win.',
  },
  role: {
    type: 'string',
    value: 'ROLE',
    doc: 'OPERATOR or REPRESENTATIVE_OPERATOR; of a declaration MICRO_OPERATOR ...',
  },
  activity: { type: 'string', value: 'WORD', doc: 'DOMESTIC, IMPORT or EXPORT.' },
  country: { type: 'string', value: 'CC', doc: 'Member state of the activity, or XI.' },
  'border-country': { type: 'string', value: 'CC', doc: 'Member state where the goods enter or leave, or XI.' },
  confidential: {
    type: 'string',
    value: 'yes|no',
    doc: 'Whether the places are hidden from those who get the number.',
  },
  comment: { type: 'string', value: 'TEXT', doc: 'Comment for the authority.' },
  heading: { type: 'string', value: 'CODE', doc: 'Heading of the first commodity, 2 to 6 digits.' },
  description: { type: 'string', value: 'TEXT', doc: 'Description of its goods with the trade name.' },
  'net-weight': { type: 'string', value: 'KG', doc: 'Its net weight in kg.' },
  percentage: { type: 'string', value: 'N', doc: 'Its percentage of estimation, domestic alone.' },
  units: { type: 'string', value: 'N', doc: 'Its supplementary unit, where the heading has one.' },
  qualifier: { type: 'string', value: 'UNIT', doc: 'Which unit: KSD, MTK, MTQ, MTR, NAR or NPR.' },
  places: { type: 'string', value: 'WORD', doc: `How a declaration says where plots are: ${PLACES.join(', ')}.` },
  exclude: {
    type: 'string',
    value: 'WORDS',
    doc: `Leave plots out by their verdict, with commas: ${EXCLUDABLE.join(', ')}.`,
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export const STATEMENT_OPTIONS = {
  statement: { type: 'string', value: 'N', doc: 'Number of the statement in the export of the collection; default 1.' },
  kind: {
    type: 'string',
    value: 'KIND',
    doc: 'dds (due diligence statement, the default) or sd (simplified declaration).',
  },
} as const satisfies Readonly<Record<string, CommandOption>>;

export function environmentOf(options: Options): TracesEnvironment | null {
  return oneOf(options, 'environment', TRACES_ENVIRONMENTS);
}

/** The request that the options make of a collection. */
export async function filingRequest(userId: string, collectionId: string, options: Options): Promise<FilingRequest> {
  const number = Number(options['statement'] ?? 1);
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`--statement: wanted a whole number from 1, got "${String(options['statement'])}"`);
  return {
    userId,
    collectionId,
    statementNumber: number,
    kind: oneOf<FilingKind>(options, 'kind', FILING_KINDS) ?? 'dds',
    environment: environmentOf(options),
    ...(await readAnswers(options)),
  };
}

/** What the options and the file of answers say of a draft. */
export async function readAnswers(options: Options): Promise<Pick<FilingRequest, 'places' | 'exclude' | 'answers'>> {
  const file = await readFileOf(options);
  const of = (name: keyof typeof ANSWER_OPTIONS): string | undefined => options[name] as string | undefined;
  const statement = given({
    operatorRole: of('role'),
    activityType: of('activity'),
    countryOfActivity: of('country'),
    borderCrossCountry: of('border-country'),
    comment: of('comment'),
    geoLocationConfidential: truth(of('confidential')),
  });
  const goods = given({
    hsHeading: of('heading'),
    descriptionOfGoods: of('description'),
    netWeight: of('net-weight'),
    percentageEstimationOrDeviation: of('percentage'),
    supplementaryUnit: of('units'),
    supplementaryUnitQualifier: of('qualifier'),
  });
  return {
    places: oneOf<Places>(options, 'places', PLACES) ?? 'geometry',
    exclude: excluded(of('exclude')),
    answers: { ...file, ...statement, ...withGoods(file.commodities ?? [], goods) },
  };
}

/** The goods of the options are those of the first commodity. */
function withGoods(
  commodities: readonly CommodityAnswers[],
  goods: CommodityAnswers,
): Pick<FilingAnswers, 'commodities'> {
  if (Object.keys(goods).length === 0) return commodities.length === 0 ? {} : { commodities };
  const first = commodities.find(({ position }, i) => (position ?? i + 1) === 1);
  return { commodities: [{ ...first, ...goods, position: 1 }, ...commodities.filter((one) => one !== first)] };
}

async function readFileOf(options: Options): Promise<FilingAnswers> {
  const path = options['answers'] as string | undefined;
  if (path === undefined) return {};
  try {
    const value: unknown = JSON.parse(path === '-' ? await standardInput() : await readFile(path, 'utf8'));
    if (isRecord(value)) return value as FilingAnswers;
  } catch (error) {
    throw new UsageError(`--answers: ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(`--answers: ${path}: wanted a JSON object`);
}

/** All of standard input as text. */
export async function standardInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}

function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

function truth(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(yes|true|on)$/i.test(text)) return true;
  if (/^(no|false|off)$/i.test(text)) return false;
  throw new UsageError(`--confidential: wanted yes or no, got "${text}"`);
}

function oneOf<T extends string>(options: Options, name: string, words: readonly T[]): T | null {
  const text = options[name];
  if (text === undefined) return null;
  const word = words.find((one) => one === text);
  if (word === undefined) throw new UsageError(`--${name}: wanted one of ${words.join(', ')}, got "${String(text)}"`);
  return word;
}

function excluded(text: string | undefined): readonly string[] {
  try {
    return parseExclude(text ?? '');
  } catch (error) {
    throw new UsageError(`--${(error as Error).message}`);
  }
}
