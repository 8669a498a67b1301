import type { Answer, CommodityShare, DatasetRef } from '../../facilities/sources.ts';
import { shareAbove, type ErrorRates } from '../../geo/detection/share.ts';
import { aboutPlantations } from './about.ts';
import {
  combinedRates,
  coveredPart,
  errorsInWords,
  FARTHEST_M,
  measured,
  isCovered,
  pixelsOf,
  remarks,
  disagrees,
  spanOf,
  thresholdsOf,
  yearBefore,
  yearsInWords,
  type DetectionQuestion,
} from './answer.ts';
import type { ClaimHeads, HeadClaims } from './claims.ts';
import { mapName, ruleOf } from './map-answer.ts';
import type { MapReader, MapClaims } from './map-claims.ts';
import type { CommodityMap } from './maps.ts';
import { centresOf } from './places.ts';

/** One member of the union: what it says of each place, below 0 for no, NaN where it does not know. */
interface Member {
  readonly refs: readonly DatasetRef[];
  readonly margins: Float64Array;
  readonly text: string;
  /** How it errs; null for a map, which is taken at its word, and for heads of which that is not known. */
  readonly rates: ErrorRates | null;
  /** Whether its claims are all there is to know, as those of a map are. */
  readonly isExact: boolean;
}

/** What the heads measure on the two newest years. */
interface Years {
  /** What either of them allows, where they disagree. */
  readonly between: readonly [number, number] | null;
  readonly words: readonly string[];
}

/**
 * The plantation mask: the share of places that any head of a planted crop claims, or any raster of plantations. Places
 * are drawn from the pixels of the embeddings, else from those of the first raster; a place of which no member knows
 * anything has no data. Null where nothing covers the place. A member that fails is left out, and the answer says so; with
 * none left its failure stands.
 */
export function createPlantationAnswerer(
  claimHeads: ClaimHeads,
  maps: MapReader,
): (
  question: DetectionQuestion,
  rasters: readonly CommodityMap[],
  signal: AbortSignal,
) => Promise<Answer<CommodityShare> | null> {
  return async ({ subject, shape, radiusM }, rasters, signal) => {
    const reach = Math.min(radiusM, FARTHEST_M);
    const failures: unknown[] = [];
    const attempt = async <T>(query: () => Promise<T | null>): Promise<T | null> => {
      try {
        return await query();
      } catch (error) {
        signal.throwIfAborted();
        failures.push(error);
        return null;
      }
    };
    const heads = await attempt(() => claimHeads(subject, shape, reach, signal));
    const members: Member[] = heads === null ? [] : [memberOfHeads(heads)];
    // Read while the maps are; what it throws is thrown where it is awaited.
    const years = heads === null ? null : yearsOf(heads, signal);
    years?.catch(() => {});
    let drawn: Pick<MapClaims, 'lonLats' | 'isComplete'> | null =
      heads === null ? null : { lonLats: centresOf(heads.raster, heads.positions), isComplete: heads.isComplete };
    for (const raster of rasters) {
      const claims = await attempt(async () => {
        if (drawn === null) return maps.around(raster, shape, reach, signal);
        return { ...drawn, found: await maps.at(raster, drawn.lonLats, signal) };
      });
      if (claims === null || claims.found.every((value) => Number.isNaN(value))) continue;
      drawn ??= claims;
      members.push(memberOfMap(raster, claims.found));
    }
    const answer = drawn === null ? null : answerOf(members, await years, drawn.isComplete, radiusM, failures.length);
    if (answer === null && failures.length > 0) throw failures[0];
    return answer;
  };
}

function memberOfHeads(claims: HeadClaims): Member {
  const refs = claims.heads.map(({ id, about: { training, model, version, synthetic = false } }) => ({
    id: training === undefined ? model : id,
    version,
    synthetic,
  }));
  const text = `${claims.embeddings.id}, ${claims.raster.year}, by ${thresholdsOf(claims)}`;
  return { refs, margins: claims.margins, text, rates: ratesOfHeads(claims), isExact: false };
}

/** The heads find some of many kinds of plantations: how much they miss of all is not known, and nothing is added for it. */
function ratesOfHeads(claims: HeadClaims): ErrorRates | null {
  const own = combinedRates(claims);
  return own === null ? null : { falsePositive: own.falsePositive, truePositive: 1 };
}

async function yearsOf(claims: HeadClaims, signal: AbortSignal): Promise<Years> {
  const rates = ratesOfHeads(claims);
  const before = await yearBefore(claims, rates, signal);
  const newest = measured(shareAbove(claims.margins, 0, claims.isComplete), rates);
  const { measured: other } = before;
  const between = other !== null && disagrees(newest, other) ? spanOf(newest, other) : null;
  return { between, words: yearsInWords(claims, newest, before) };
}

function memberOfMap(map: CommodityMap, found: Float64Array): Member {
  return {
    refs: [map.dataset],
    margins: found.map((value) => value - 1),
    text: `the map ${mapName(map)}, where it says ${ruleOf(map)}`,
    rates: null,
    isExact: true,
  };
}

function answerOf(
  members: readonly Member[],
  years: Years | null,
  isComplete: boolean,
  radiusM: number,
  failed: number,
): Answer<CommodityShare> | null {
  if (members.length === 0) return null;
  const union = Float64Array.from(members[0].margins, (_, place) => {
    const known = members.map(({ margins }) => margins[place]).filter((margin) => !Number.isNaN(margin));
    return known.length === 0 ? Number.NaN : Math.max(...known);
  });
  const found = shareAbove(union, 0, isComplete);
  if (!isCovered(found)) return null;
  const refs = members.flatMap((member) => member.refs);
  const [first, ...also] = refs.filter(({ id }, i) => refs.findIndex((other) => other.id === id) === i);
  const rates = members.find((member) => member.rates !== null)?.rates ?? null;
  const answered = measured(found, rates);
  const detail = [
    `${pixelsOf(found, isComplete)}; counted in ${members.map(({ text }) => text).join('; and in ')}.`,
    ...(rates === null ? [] : errorsInWords(found, answered, rates)),
    ...remarks(found, radiusM),
    ...(years?.words ?? []),
    ...(failed > 0 ? [`${failed} more could not be queried.`] : []),
  ].join(' ');
  const synthetic = members.some((member) => member.refs.some((ref) => ref.synthetic));
  const others = also.map(({ id, version }) => ({ id, version }));
  const dataset = { ...first, synthetic, ...(others.length > 0 ? { also: others } : {}), about: aboutPlantations() };
  const { share } = answered;
  const isExact = isComplete && members.every((member) => member.isExact);
  const spans = [answered.between, ...(years?.between == null ? [] : [years.between])];
  // Where the two newest years disagree, what either of them allows is possible.
  const between: readonly [number, number] = isExact
    ? [share, share]
    : [Math.min(...spans.map(([least]) => least)), Math.max(...spans.map(([, most]) => most))];
  const value = { share, between, covered: coveredPart(found, radiusM), detail };
  return { dataset, value };
}
