import { DEFAULT_PLOT_PAGES } from '../../collections/due-diligence/export-types.ts';
import { POINT_AREA_HA, STATEMENT_LIMITS } from '../../collections/due-diligence/official-errors.ts';
import { EXPORT_LOCATIONS_AT_ONCE } from './export-collections.ts';

/** The limits of due diligence exports, as `/limits` shows them. */
export function dueDiligenceLimits() {
  const { geodataBytes, producers, producersPerCommodity, commodities } = STATEMENT_LIMITS;
  const official = 'of the EU information system; what is over it goes into another statement';
  const rows: readonly [name: string, value: number, unit: string, description: string][] = [
    [
      'export_locations_at_once',
      EXPORT_LOCATIONS_AT_ONCE,
      'locations',
      'In a due diligence export that is answered at once; a larger one is made by a task.',
    ],
    [
      'export_plot_pages',
      DEFAULT_PLOT_PAGES,
      'plots',
      'With a page of their own in the audit trail of an export; those to be looked at come first, all are in its tables.',
    ],
    ['statement_geodata_bytes', geodataBytes, 'bytes', `Geodata of one statement, in base64: a limit ${official}.`],
    ['statement_producers', producers, 'producers', `Of one statement: a limit ${official}.`],
    [
      'statement_producers_per_commodity',
      producersPerCommodity,
      'producers',
      `Of one entry of a commodity: a limit ${official}. A commodity of more has several entries in its statement.`,
    ],
    ['statement_commodities', commodities, 'commodities', `Of one statement: a limit ${official}.`],
    ['statement_point_ha_least', POINT_AREA_HA.least, 'ha', 'Least area of a plot given as a point.'],
    ['statement_point_ha_most', POINT_AREA_HA.most, 'ha', 'Largest area of a plot given as a point, but for cattle.'],
  ];
  return rows.map(([name, value, unit, description]) => ({ name, value, unit, description }));
}
