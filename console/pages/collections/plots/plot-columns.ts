import { middleOf } from '../../../map/middle-of.ts';
import type { ResultColumns } from '../../../parts/files/chosen-rows.ts';
import { cellOf } from '../../../parts/files/table-file.ts';
import { rowOf, type PlotFeature } from './plot-row.ts';

const FIELDS = [
  'location_type',
  'name',
  'supplier_name',
  'country',
  'country_code',
  'commodity_type',
  'area_ha',
  'location_confidence',
  'problem',
  'plot_group',
  'eudr_status',
  'risk_level',
  'eudr_comment',
  'convergence_verdict',
  'check_status',
  'check_reason',
  'baseline_forest_ha',
  'noncompliance_area_ha',
  'deforestation_start',
  'deforestation_end',
  'monitored_until',
] as const;

/** Locations as a table: what they are, and what was found of each. */
export const plotColumns: ResultColumns<PlotFeature> = {
  header: ['id', 'longitude', 'latitude', ...FIELDS],
  cells({ id, geometry, properties }) {
    const [lon, lat] = middleOf(geometry) ?? [null, null];
    const values: Readonly<Record<string, unknown>> = properties;
    return [cellOf(id ?? values['location_id']), lon, lat, ...FIELDS.map((name) => cellOf(values[name]))];
  },
  rowOf: ({ properties }) => rowOf(properties),
};
