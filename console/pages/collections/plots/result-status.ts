import type { Answer } from '../../../api/client.ts';

/** Results of the check, the most urgent first. */
export const RESULTS = [
  'deforestation_found',
  'more_information_needed',
  'unknown',
  'no_deforestation_found',
  'not_a_plot',
] as const satisfies readonly Answer<'fetchDeforestationCheck'>['features'][number]['properties']['eudr_status'][];
export type Result = (typeof RESULTS)[number];

/** Which of the looks of levels a result has: colour and shape. */
export const RESULT_LOOKS = {
  deforestation_found: 'low',
  more_information_needed: 'medium',
  unknown: 'unverified',
  no_deforestation_found: 'high',
  not_a_plot: 'none',
} as const satisfies Record<Result, string>;
