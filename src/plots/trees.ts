import type { CropGroup } from './crop-groups.ts';
import type { Indicator } from './indicators.ts';

/** From what clears a plot to what speaks against it. */
export const VERDICTS = ['low', 'more_information_needed', 'high'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Indicators that are as stated; those that are not named may be anything. */
export type Condition = Readonly<Partial<Record<Indicator, 'yes' | 'no'>>>;

/** A row of a tree: it decides where one of its conditions holds and no row before it did. */
export interface Rule {
  readonly id: string;
  readonly when: readonly Condition[];
  readonly verdict: Verdict;
  /** What has to be known for the row to decide, although its answer does not matter. */
  readonly needs?: readonly Indicator[];
}

/** A tree of rules, of which one holds whatever the indicators are. */
export interface Tree {
  /** Where it comes from. */
  readonly source: string;
  readonly rules: readonly Rule[];
}

const WHISP = 'openforis/whisp 83bd2f8 (29 July 2026), risk.py';
const TREES_STOOD = { forest_2020: 'yes' } as const;
const NO_CROP = { ...TREES_STOOD, commodities_2020: 'no' } as const;
const UNDISTURBED = { ...NO_CROP, disturbance_before_2020: 'no' } as const;
const PRIMARY = { primary_forest_2020: 'yes' } as const;
const REGENERATING = { regenerating_forest_2020: 'yes' } as const;

/**
 * The published trees, row by row. Perennial-3 clears a plot whatever happened after 2020, because it was disturbed before:
 * that is followed, but only where losses after 2020 were looked at. No tree of cattle is published; the placeholder is the
 * one of annual crops, with pasture in place of crops.
 */
export const TREES = {
  perennial: {
    source: `${WHISP}, risk_pcrop`,
    rules: [
      row('perennial-1', 'low', { forest_2020: 'no' }),
      row('perennial-2', 'low', { ...TREES_STOOD, commodities_2020: 'yes' }),
      {
        ...row('perennial-3', 'low', { ...NO_CROP, disturbance_before_2020: 'yes' }),
        needs: ['disturbance_after_2020'],
      },
      row('perennial-4', 'more_information_needed', { ...UNDISTURBED, disturbance_after_2020: 'no' }),
      row('perennial-5', 'high', { ...UNDISTURBED, disturbance_after_2020: 'yes' }),
    ],
  },
  annual: {
    source: `${WHISP}, risk_acrop`,
    rules: [
      row('annual-1', 'low', { forest_2020: 'no' }),
      row('annual-2', 'low', { ...TREES_STOOD, commodities_2020: 'yes' }),
      row('annual-3', 'high', { ...NO_CROP, disturbance_after_2020: 'yes' }),
      row('annual-4', 'more_information_needed', { ...NO_CROP, disturbance_after_2020: 'no' }),
    ],
  },
  livestock: {
    source: 'none is published: the tree of annual crops, with pasture in place of crops',
    rules: [
      row('livestock-1', 'low', { forest_2020: 'no' }),
      row('livestock-2', 'low', { ...TREES_STOOD, pasture_2020: 'yes' }),
      row('livestock-3', 'high', { ...TREES_STOOD, pasture_2020: 'no', disturbance_after_2020: 'yes' }),
      row('livestock-4', 'more_information_needed', {
        ...TREES_STOOD,
        pasture_2020: 'no',
        disturbance_after_2020: 'no',
      }),
    ],
  },
  timber: {
    source: `${WHISP}, risk_timber`,
    rules: [
      row('timber-1', 'low', { commodities_2020: 'yes' }),
      row('timber-2', 'low', { planted_forest_2020: 'yes', agriculture_after_2020: 'no' }),
      row(
        'timber-3',
        'high',
        { ...PRIMARY, agriculture_after_2020: 'yes' },
        { ...REGENERATING, agriculture_after_2020: 'yes' },
        { planted_forest_2020: 'yes', agriculture_after_2020: 'yes' },
      ),
      row(
        'timber-4',
        'high',
        { ...PRIMARY, planted_forest_after_2020: 'yes' },
        { ...REGENERATING, planted_forest_after_2020: 'yes' },
      ),
      row(
        'timber-5',
        'low',
        { ...PRIMARY, tree_cover_after_2020: 'yes' },
        { ...PRIMARY, logging_concession_2020: 'yes' },
        { ...REGENERATING, tree_cover_after_2020: 'yes' },
        { ...REGENERATING, logging_concession_2020: 'yes' },
      ),
      row('timber-6', 'more_information_needed', PRIMARY, REGENERATING),
      row('timber-7', 'low', {}),
    ],
  },
} as const satisfies Readonly<Record<CropGroup, Tree>>;

function row(id: string, verdict: Verdict, ...when: readonly Condition[]): Rule {
  return { id, verdict, when };
}
