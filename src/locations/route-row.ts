import { say } from '../messages/say.ts';
import type { Params, Said } from '../messages/said.ts';
import type { TablePlan } from './plan-table.ts';
import type { ReadRow } from './read-row.ts';
import { typeOfName, type LocationType } from './values/parse-location-type.ts';

/** Facility or plot. */
interface Route {
  readonly type: LocationType;
  /** Why the type is a guess, as a part of a sentence; null where the row leaves no doubt. */
  readonly doubt: Said | null;
}

const GUESSES = {
  'guess.against': '{reason}, but {against}',
  'guess.both': 'it fills {facility}, but {plot} too',
  'guess.fills': 'it fills {headings}',
  'guess.named': 'its name is {name}',
  'guess.nothing': 'it has neither an outline nor an area, and nothing in it says what it is',
  'guess.outline': 'it is an outline, as plots are',
  'guess.plot_delivers': 'it fills {plot}, and {facility} may name where it delivers',
} as const;
const guess = (code: keyof typeof GUESSES, params: Params = {}): Said => say(GUESSES, code, params);

/**
 * What a row is, by its own values alone: what it states, the headings of the cells it fills, the words of its name, its outline,
 * its area, the sheet it stands in. Headings that only other rows fill say nothing of it.
 */
export function routeRow(row: ReadRow, plan: TablePlan): Route {
  const { statedType, geometry, name, statedHa } = row;
  if (statedType !== null) return { type: statedType, doubt: null };
  // An outline that is broken is one all the same: it is as a plot that it can be repaired.
  const shape = (geometry as { type?: unknown } | null)?.type;
  const isOutline = shape === 'Polygon' || shape === 'MultiPolygon';
  const nameType = name === null ? null : typeOfName(name);
  const named = (): Said => guess('guess.named', { name: quoted(name ?? '') });
  const [facility, plot] = [filledHeadings(row, plan, 'facility'), filledHeadings(row, plan, 'plot')];
  if (facility !== null && plot !== null) {
    const isGrown = isOutline || statedHa !== null || plan.headingTypes.get(row.columns.supplier_name ?? '') === 'plot';
    return isGrown
      ? { type: 'plot', doubt: guess('guess.plot_delivers', { plot, facility }) }
      : { type: 'facility', doubt: guess('guess.both', { facility, plot }) };
  }
  if (facility !== null || nameType === 'facility') {
    const against = [
      isOutline ? guess('guess.outline') : null,
      plot === null ? null : guess('guess.fills', { headings: plot }),
      nameType === 'plot' ? named() : null,
    ].filter((reason) => reason !== null);
    const reason = facility === null ? named() : guess('guess.fills', { headings: facility });
    return { type: 'facility', doubt: against.length === 0 ? null : guess('guess.against', { reason, against }) };
  }
  if (plot !== null || nameType === 'plot' || isOutline || statedHa !== null) return { type: 'plot', doubt: null };
  if (plan.sheetType !== null) return { type: plan.sheetType, doubt: null };
  return { type: 'facility', doubt: guess('guess.nothing') };
}

/** The headings of one type whose cells the row fills, quoted, the first three; null where it fills none. */
function filledHeadings(
  { columns, names }: ReadRow,
  { headingTypes }: TablePlan,
  type: LocationType,
): readonly string[] | null {
  if (headingTypes.size === 0) return null;
  const filled = [...new Set([...names.map(({ column }) => column), ...Object.values(columns)])];
  const found = filled.filter((column) => headingTypes.get(column) === type).map(quoted);
  return found.length === 0 ? null : found.slice(0, 3);
}

/** What the place itself is called: the column "Mill" of a plot names where it delivers, and is no name of the plot. */
export function ownName(row: ReadRow, plan: TablePlan, type: LocationType): ReadRow['names'][number] | null {
  const own = row.names.find(({ column }) => (plan.headingTypes.get(column) ?? type) === type);
  if (own !== undefined) return own;
  return type === 'plot' && filledHeadings(row, plan, 'plot') !== null ? null : (row.names[0] ?? null);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
