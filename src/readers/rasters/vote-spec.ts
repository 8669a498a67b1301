import { CUT_OFF } from '../../monitoring-days.ts';
import { CatalogueError } from '../catalogue/catalogue.ts';
import type { Dataset, DatasetRole } from '../catalogue/dataset.ts';
import { commonSpec, forestMask, lossYear, type RasterSpec } from './raster-spec.ts';

/** When the value of a pixel is a yes: one of a list, or in a range whose ends belong to it. */
type YesValues = { readonly classes: readonly number[] } | { readonly from: number; readonly to: number };

/** A question that the pixels of a raster answer. */
interface VoteRule {
  readonly indicator: string;
  readonly yes: YesValues;
  readonly commodity?: string;
}

/** A raster that votes on plots. */
export interface VoteSpec extends RasterSpec {
  readonly rules: readonly VoteRule[];
  /** Values that say something; null: all but "no data". */
  readonly known: YesValues | null;
  /** First and last year of losses; null: no map of years. */
  readonly years: readonly [first: number, last: number] | null;
  /** Id of the losses whose yes up to 2020 is taken off; null: none. */
  readonly lessLossOf: string | null;
}

/** Questions of one raster: what pixels say fits into a byte. */
const MOST_RULES = 7;
/** Values in a list. */
const MOST_CLASSES = 256;
const CUT_OFF_YEAR = Number(CUT_OFF.slice(0, 4));

type Json = Readonly<Record<string, unknown>>;
type RoleRules = (dataset: Dataset) => Pick<VoteSpec, 'rules'> & Partial<VoteSpec>;

/** What rasters vote on whose entry does not say it. */
const BY_ROLE: Readonly<Partial<Record<DatasetRole, RoleRules>>> = {
  'forest-mask': (dataset) => {
    const { threshold, classes, lessLossOf } = forestMask(dataset);
    const yes = threshold === null ? { classes } : { from: threshold, to: Infinity };
    return { rules: [{ indicator: 'forest_2020', yes }], lessLossOf };
  },
  'loss-year': (dataset) => {
    const { baseYear, years } = lossYear(dataset);
    const valueOf = (year: number): number => year - baseYear;
    const [first, last] = years;
    const before = { from: valueOf(first), to: valueOf(Math.min(last, CUT_OFF_YEAR)) };
    const after = { from: valueOf(Math.max(first, CUT_OFF_YEAR + 1)), to: valueOf(last) };
    return {
      rules: [
        ...(first > CUT_OFF_YEAR ? [] : [{ indicator: 'disturbance_before_2020', yes: before }]),
        ...(last > CUT_OFF_YEAR ? [{ indicator: 'disturbance_after_2020', yes: after }] : []),
      ],
      known: { from: valueOf(first), to: valueOf(last) },
      years,
    };
  },
  'commodity-map': (dataset) => ({
    rules: [
      {
        indicator: 'commodities_2020',
        yes: yesOf(dataset, dataset.options, 'options'),
        ...commodityOf(dataset, dataset.options),
      },
    ],
  }),
  'protected-land': (dataset) => ({
    rules: [{ indicator: 'protected_land', yes: yesOf(dataset, dataset.options, 'options') }],
  }),
  'natural-land': (dataset) => ({
    rules: [{ indicator: 'natural_land', yes: yesOf(dataset, dataset.options, 'options') }],
  }),
};

/** The roles of rasters that do nothing but vote. */
export const VOTING_ROLES = ['evidence', 'protected-land', 'natural-land'] as const;

/**
 * Reads what an entry votes on: `options.votes`, or what its role does; null: nothing.
 * @throws CatalogueError that names entry and option.
 */
export function voteRaster(dataset: Dataset): VoteSpec | null {
  const { kind, role, options } = dataset;
  const { votes } = options;
  if (kind !== 'cog') return null;
  const own = BY_ROLE[role];
  if (votes === undefined && own === undefined) {
    if (role === 'evidence') throw fault(dataset, 'options.votes', 'a list of questions', votes);
    return null;
  }
  const rules = votes === undefined ? null : { rules: rulesOf(dataset, votes) };
  const none = { known: null, years: null, lessLossOf: null };
  return { ...commonSpec(dataset), ...none, ...(rules ?? own?.(dataset) ?? { rules: [] }) };
}

/** Whether a value is one of these. */
export function isYes(yes: YesValues, value: number): boolean {
  return 'classes' in yes ? yes.classes.includes(value) : value >= yes.from && value <= yes.to;
}

function rulesOf(dataset: Dataset, votes: unknown): readonly VoteRule[] {
  if (!Array.isArray(votes) || votes.length === 0 || votes.length > MOST_RULES)
    throw fault(dataset, 'options.votes', `a list of 1 to ${MOST_RULES} questions`, votes);
  return votes.map((entry: unknown, i) => {
    const at = `options.votes[${i}]`;
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
      throw fault(dataset, at, 'an object with indicator, and classes or from and to', entry);
    const rule = entry as Json;
    const { indicator } = rule;
    if (typeof indicator !== 'string') throw fault(dataset, `${at}.indicator`, 'the name of an indicator', indicator);
    return { indicator, yes: yesOf(dataset, rule, at), ...commodityOf(dataset, rule) };
  });
}

function yesOf(dataset: Dataset, { classes, threshold, from, to }: Json, at: string): YesValues {
  if (classes !== undefined) {
    const isList = Array.isArray(classes) && classes.length > 0 && classes.length <= MOST_CLASSES;
    if (!isList || !classes.every(isNumber)) throw fault(dataset, `${at}.classes`, 'a list of numbers', classes);
    return { classes };
  }
  const least = from ?? threshold;
  if (!isNumber(least)) throw fault(dataset, `${at}.classes`, 'classes, or a number from which on it is a yes', least);
  if (to !== undefined && !(isNumber(to) && to >= least))
    throw fault(dataset, `${at}.to`, `a number from ${least} on`, to);
  return { from: least, to: to ?? Infinity };
}

function commodityOf(dataset: Dataset, { commodity }: Json): Pick<VoteRule, 'commodity'> {
  if (commodity === undefined) return {};
  if (typeof commodity !== 'string') throw fault(dataset, 'options.commodity', 'the name of a commodity', commodity);
  return { commodity };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function fault({ id }: Dataset, what: string, wanted: string, got: unknown): CatalogueError {
  return new CatalogueError(`${id}: ${what}: wanted ${wanted}, got ${JSON.stringify(got) ?? 'nothing'}`);
}
