import { locationColumns } from '../locations/location-columns.ts';
import type { NormalizedLocation } from '../locations/normalized.ts';
import type { ValidatedLocation } from './judge-location.ts';

/** What a facility's own result adds to a row. */
const FACILITY = ['confidence_score', 'confidence_level', 'primary_warning', 'aggregation_comment'] as const;

/** Validated locations as a table: the columns of normalised ones, then what the checks found. */
export const validatedColumns = {
  header: [
    ...locationColumns.header,
    'processing',
    'plot_valid',
    'plot_checks',
    'repair_log',
    ...FACILITY,
  ] as readonly string[],

  /** As many cells as the header has names. */
  row(feature: ValidatedLocation): readonly (string | number | boolean | null | undefined)[] {
    const { properties } = feature;
    const rated = properties as unknown as Readonly<Record<string, string | number | null | undefined>>;
    return [
      ...locationColumns.row(feature as NormalizedLocation),
      properties.processing,
      properties.plot_valid,
      properties.plot_checks?.map(({ check, status, detail }) => `${check}: ${status}. ${detail}`).join(' | '),
      properties.repair_log?.join('; '),
      ...FACILITY.map((name) => rated[name]),
    ];
  },
};
