import { RANGE_COLUMNS, rangeCells } from '../../facilities/csv-columns.ts';
import type { FacilityResult } from '../../facilities/result.ts';
import { locationColumns, type NormalizedLocation } from '../../locations/normalized.ts';
import type { ValidatedLocation } from '../plots/evaluate-location.ts';

/** What a facility's own result adds to a row. */
const FACILITY = [
  'confidence_score',
  'confidence_level',
  'evidence_coverage',
  'confidence_basis',
  'primary_warning',
  'aggregation_comment',
] as const;

/** Validated locations as a table: the columns of normalised ones, then what the checks found. */
export const validatedColumns = {
  header: [
    ...locationColumns.header,
    'processing',
    'plot_valid',
    'location_confidence',
    'location_confidence_reasons',
    'plot_checks',
    'repair_log',
    ...FACILITY,
    ...Object.keys(RANGE_COLUMNS),
  ] as readonly string[],

  /** As many cells as the header has names. */
  row(feature: ValidatedLocation): readonly (string | number | boolean | null | undefined)[] {
    const { properties } = feature;
    const rated = properties as unknown as Readonly<Record<string, string | number | null | undefined>>;
    const { confidence_range: range } = properties as unknown as Partial<FacilityResult>;
    return [
      ...locationColumns.row(feature as NormalizedLocation),
      properties.processing,
      properties.plot_valid,
      properties.location_confidence,
      properties.location_confidence_reasons?.join(' | '),
      properties.plot_checks?.map(({ check, status, detail }) => `${check}: ${status}. ${detail}`).join(' | '),
      properties.repair_log?.join('; '),
      // What cannot be used has no score, which is not the lowest one.
      ...FACILITY.map((name) =>
        name === 'confidence_score' && rated['confidence_level'] === 'invalid' ? undefined : rated[name],
      ),
      ...rangeCells(range),
    ];
  },
};
