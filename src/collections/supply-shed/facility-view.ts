import type { View } from '../fetch/view.ts';

/** The facilities of a collection, before anything is said of their supply sheds. */
export const facilityView: View = {
  name: 'facilities',
  needsStatistics: false,
  fields: ['locations_confidence'],
  properties: (_record, { locationsConfidence }) => ({ locations_confidence: locationsConfidence }),
  totals: { sums: [], years: [], areaMeans: [], counts: [] },
};
