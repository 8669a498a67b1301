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
