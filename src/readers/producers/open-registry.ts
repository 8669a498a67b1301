import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { BusinessesNearby, DatasetRef, ProducerMatch } from '../../facilities/sources.ts';
import { createHits } from '../../geo/packed-tree.ts';
import { openPoints, pointsAround } from '../../geo/shapes/point-set.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { longitudeGap, reachAround } from '../../geo/shapes/reach.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { textAt } from '../built-in/pack-arrays.ts';
import { packArray, type Pack } from '../packs/pack-file.ts';
import { distanceToPlaceM, isBetterMatch, LEAST_SIMILARITY, type MatchRules } from './best-match.ts';
import { GRAMS, gramsOf, normaliseName } from './normalise-name.ts';
import { wordsSimilarity } from './name-similarity.ts';
import { NAME_SEPARATOR, REGISTRY_SCALE, type RegistryMeta } from './registry.ts';

/** A registry that can be searched. Not to be used by two threads at once. */
export interface Registry {
  readonly dataset: DatasetRef;
  readonly meta: RegistryMeta;
  /** Whether the registry knows the place: near one of its records, or anywhere when some have no place. */
  covers(shape: Shape): boolean;
  /** The record that says most for the producer, or null when none resembles it. */
  find(name: string, shape: Shape, country: string | null): ProducerMatch | null;
  /** The records with a place within so many metres; none where the registry is of other commodities. */
  near(commodity: Commodity | null, shape: Shape, withinM: number): BusinessesNearby;
}

/** Records compared in full: those that share most runs of letters, and as many near the place. */
const CANDIDATES = 64;

export function openRegistry(pack: Pack, rules: MatchRules): Registry {
  const { nearM } = rules;
  const meta = pack.header.meta as RegistryMeta;
  const boxes = packArray(pack, 'boxes', 'Int32Array');
  const points = meta.located === 0 ? null : openPoints(boxes, meta.located, REGISTRY_SCALE);
  const countries = packArray(pack, 'countries', 'Uint8Array');
  const gramStarts = packArray(pack, 'gramStarts', 'Uint32Array');
  const gramRecords = packArray(pack, 'gramRecords', 'Uint32Array');
  const table = (name: string) => ({
    offsets: packArray(pack, `${name}Offsets`, 'Uint32Array'),
    bytes: packArray(pack, `${name}Bytes`, 'Uint8Array'),
  });
  const [names, compared, ids] = [table('name'), table('word'), table('id')];
  const shared = new Uint8Array(meta.records);
  const hits = createHits();

  /** Leaves in `shared` how many runs of letters each record has in common with the name; the records that have any. */
  function countShared(words: readonly string[]): number[] {
    const touched: number[] = [];
    for (const gram of gramsOf(words)) {
      if (gram >= GRAMS) continue;
      for (let i = gramStarts[gram]; i < gramStarts[gram + 1]; i++) {
        const record = gramRecords[i];
        if (shared[record] === 0) touched.push(record);
        if (shared[record] < 255) shared[record]++;
      }
    }
    return touched;
  }

  function candidates(words: readonly string[], shape: Shape): readonly number[] {
    const touched = countShared(words);
    const most = (records: readonly number[]): readonly number[] =>
      records.length <= CANDIDATES
        ? records
        : records.toSorted((a, b) => shared[b] - shared[a] || a - b).slice(0, CANDIDATES);
    hits.count = 0;
    if (points !== null) pointsAround(points, shape.bbox, nearM, hits);
    const near = Array.from(hits.ids.subarray(0, hits.count)).filter((record) => shared[record] > 0);
    // Near ones first: a good one among them spares the comparison with all that are far.
    const chosen = new Set([...most(near), ...most(touched)]);
    for (const record of touched) shared[record] = 0;
    return [...chosen];
  }

  function distance(record: number, shape: Shape): number | null {
    if (record >= meta.located) return null;
    const at = [boxes[record * 4] / REGISTRY_SCALE, boxes[record * 4 + 1] / REGISTRY_SCALE] as const;
    return distanceToPlaceM(shape, at, nearM);
  }

  /** A record without a place is left out when it is of another country. */
  function isElsewhere(record: number, country: string | null): boolean {
    if (country === null || record < meta.located || countries[2 * record] === 0) return false;
    return String.fromCharCode(countries[2 * record], countries[2 * record + 1]) !== country;
  }

  function match(record: number, words: readonly string[], distanceM: number | null): ProducerMatch | null {
    let [nameSimilarity, best] = [0, 0];
    for (const [i, text] of textAt(compared, record).split(NAME_SEPARATOR).entries()) {
      const similarity = wordsSimilarity(words, text === '' ? [] : text.split(' '));
      if (similarity > nameSimilarity) [nameSimilarity, best] = [similarity, i];
    }
    if (nameSimilarity < LEAST_SIMILARITY) return null;
    const name = textAt(names, record).split(NAME_SEPARATOR)[best];
    return {
      registry: meta.title,
      recordId: textAt(ids, record),
      name,
      nameSimilarity,
      distanceM,
    };
  }

  return {
    dataset: { id: pack.header.dataset, version: meta.version, synthetic: meta.synthetic },
    meta,
    covers: ({ bbox: [west, south, east, north] }) => {
      if (meta.bbox === null || meta.located < meta.records) return meta.records > 0;
      const reach = reachAround(south, north, nearM);
      const [w, s, e, n] = meta.bbox;
      return (
        south <= n + reach.latitudes &&
        north >= s - reach.latitudes &&
        longitudeGap(west, east, w, e) <= reach.longitudes
      );
    },
    find(name, shape, country) {
      const words = normaliseName(name);
      let best: ProducerMatch | null = null;
      for (const record of candidates(words, shape)) {
        if (isElsewhere(record, country)) continue;
        const distanceM = distance(record, shape);
        // Not even the same name would be worth more.
        if (best !== null && rules.worth({ nameSimilarity: 1, distanceM }) < rules.worth(best)) continue;
        const found = match(record, words, distanceM);
        if (found !== null && (best === null || isBetterMatch(found, best, rules))) best = found;
      }
      return best;
    },
    near(commodity, shape, withinM) {
      const isOther = meta.commodities !== undefined && (commodity === null || !meta.commodities.includes(commodity));
      if (points === null || isOther) return NOTHING_NEAR;
      pointsAround(points, shape.bbox, withinM, hits);
      let [count, nearest, nearestM] = [0, -1, Infinity];
      for (let i = 0; i < hits.count; i++) {
        const record = hits.ids[i];
        const at = [boxes[record * 4] / REGISTRY_SCALE, boxes[record * 4 + 1] / REGISTRY_SCALE] as const;
        const distanceM = distanceToShapeM(shape, at[0], at[1], withinM);
        if (distanceM > withinM) continue;
        count++;
        if (distanceM > nearestM || (distanceM === nearestM && record > nearest)) continue;
        [nearest, nearestM] = [record, distanceM];
      }
      if (count === 0) return NOTHING_NEAR;
      const [name] = textAt(names, nearest).split(NAME_SEPARATOR);
      return { count, nearest: { distanceM: nearestM, name, kind: 'registered facility' } };
    },
  };
}

const NOTHING_NEAR: BusinessesNearby = { count: 0, nearest: null };
