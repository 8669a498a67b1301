/** What an indicator means for a plot: it can only speak against it, only clear it, or is shown and decides nothing. */
type Direction = 'against' | 'clears' | 'shown';

/** A question about a plot that votes answer. */
interface IndicatorRule {
  /** Number and name in the published trees; null: not in any of them. */
  readonly published: string | null;
  /** What "yes" means, as the end of "a source says that ...". */
  readonly says: string;
  readonly direction: Direction;
  /** Whether it is about 2020-12-31, so that a map of a later day cannot say it. */
  readonly ofCutOff: boolean;
}

/**
 * The indicators of the published decision trees (openforis/whisp, `risk.py` at commit 83bd2f8) under names of their own, one
 * for pasture that a tree of cattle would need, and two for land whose conversion needs a look whatever a tree says.
 */
export const INDICATOR_RULES = {
  forest_2020: rule('Ind_01_treecover', 'trees covered it on 2020-12-31', 'against', true),
  commodities_2020: rule('Ind_02_commodities', 'a commodity grew on it on 2020-12-31', 'clears', true),
  disturbance_before_2020: rule(
    'Ind_03_disturbance_before_2020',
    'trees were lost or disturbed from 2001 to 2020',
    'clears',
    false,
  ),
  disturbance_after_2020: rule(
    'Ind_04_disturbance_after_2020',
    'trees were lost or disturbed after 2020-12-31',
    'against',
    false,
  ),
  primary_forest_2020: rule('Ind_05_primary_2020', 'primary forest stood on it on 2020-12-31', 'against', true),
  regenerating_forest_2020: rule(
    'Ind_06_nat_reg_forest_2020',
    'naturally regenerating forest stood on it on 2020-12-31',
    'against',
    true,
  ),
  planted_forest_2020: rule(
    'Ind_07_planted_plantations_2020',
    'planted forest stood on it on 2020-12-31',
    'clears',
    true,
  ),
  planted_forest_after_2020: rule(
    'Ind_08_planted_plantations_after_2020',
    'forest was planted on it after 2020-12-31',
    'against',
    false,
  ),
  tree_cover_after_2020: rule('Ind_09_treecover_after_2020', 'trees cover it since', 'clears', false),
  agriculture_after_2020: rule('Ind_10_agri_after_2020', 'it became farmland after 2020-12-31', 'against', false),
  logging_concession_2020: rule(
    'Ind_11_logging_concession_before_2020',
    'it lay in a logging concession on 2020-12-31',
    'clears',
    true,
  ),
  pasture_2020: rule(null, 'it was pasture on 2020-12-31', 'clears', true),
  natural_land: rule(null, 'it is natural land', 'shown', false),
  protected_land: rule(null, 'it lies in a protected area', 'shown', false),
} as const satisfies Readonly<Record<string, IndicatorRule>>;

export type Indicator = keyof typeof INDICATOR_RULES;

export const INDICATORS = Object.keys(INDICATOR_RULES) as readonly Indicator[];

/** Shares of a plot's area between which a vote is decided: above `yesAbove` it is yes, up to `noUpTo` no, in between unknown. */
interface VoteThreshold {
  readonly yesAbove: number;
  readonly noUpTo: number;
}

/**
 * The published thresholds: more than 10 % of a plot with an outline, any value above 0 of a point. A point stands here for the
 * circle of its area, of which a part may lie on other people's ground: a small part of the circle does not clear it, and is
 * unknown where it would.
 */
export const VOTE_THRESHOLDS = {
  polygon: {
    against: { yesAbove: 0.1, noUpTo: 0.1 },
    clears: { yesAbove: 0.1, noUpTo: 0.1 },
    shown: { yesAbove: 0, noUpTo: 0 },
  },
  circle: {
    against: { yesAbove: 0, noUpTo: 0 },
    clears: { yesAbove: 0.1, noUpTo: 0 },
    shown: { yesAbove: 0, noUpTo: 0 },
  },
} as const satisfies Readonly<Record<'polygon' | 'circle', Readonly<Record<Direction, VoteThreshold>>>>;

function rule(published: string | null, says: string, direction: Direction, ofCutOff: boolean): IndicatorRule {
  return { published, says, direction, ofCutOff };
}
