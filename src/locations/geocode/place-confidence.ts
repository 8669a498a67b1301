import { bestOf, type Candidate } from './place-candidates.ts';
import type { GazetteerEntry } from './gazetteer.ts';

/** Chance that a facility of a settlement, and of a district of unknown extent, lies within 25 km of its middle. */
const [NEAR_SETTLEMENT, NEAR_SEAT] = [0.9, 0.45];
/** Odds (as a logarithm) that the best candidate is the one that was meant, and how far each point of its lead moves them. */
const [BASE_ODDS, ODDS_PER_LEAD, ODDS_IN_REGION, ODDS_MARKED] = [0.2, 1, 1, 0.4];
/** A name taken from the name of the company, or read one letter off, is that much less sure. */
const [FROM_NAME, SIMILAR] = [0.5, 0.85];

/**
 * The chance that the requested place lies within 25 km of the answer: that the named thing is the one that was meant, by
 * its lead over the next best, times the share of the places in it that lie so near. Calibrated in bench/geocoding.ts.
 */
export function confidenceOf(best: Candidate, candidates: readonly Candidate[], standsForDistrict: boolean): number {
  const { entry, inNamedRegion, mention, score } = best;
  const rival = bestOf(candidates.filter((other) => isRival(other.entry, entry)));
  const lead = rival === null ? 3 : Math.min(3, Math.max(0, score - rival.score));
  const odds =
    BASE_ODDS + ODDS_PER_LEAD * lead + (inNamedRegion ? ODDS_IN_REGION : 0) + (mention.marked ? ODDS_MARKED : 0);
  const right =
    (1 / (1 + Math.exp(-odds))) *
    (mention.field === 'name' ? FROM_NAME : 1) *
    (mention.spelling === 'similar' ? SIMILAR : 1);
  return Math.min(0.95, Math.max(0.02, right * nearness(best, standsForDistrict)));
}

/** Somewhere else, and not a division that the place lies in. */
function isRival(other: GazetteerEntry, entry: GazetteerEntry): boolean {
  const contains =
    (other.kind === 'region' && other.country === entry.country && other.region === entry.region) ||
    (other.kind === 'district' && other.district > 0 && other.district === entry.district);
  return !contains && other !== entry && Math.hypot(other.at[0] - entry.at[0], other.at[1] - entry.at[1]) > 0.2;
}

/** A settlement whose name its district bears too may stand for the district; where the column says so, it does. */
function nearness({ entry, mention }: Candidate, standsForDistrict: boolean): number {
  if (entry.kind !== 'settlement') return entry.near;
  const district = mention.entries.find(
    ({ kind, country, region }) => kind === 'district' && country === entry.country && region === entry.region,
  );
  if (standsForDistrict) return district?.near ?? NEAR_SEAT;
  return NEAR_SETTLEMENT * (district === undefined ? 1 : (1 + district.near) / 2);
}
