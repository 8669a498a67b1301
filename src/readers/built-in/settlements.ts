import type { Density } from '../../facilities/sources.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { createHits } from '../../geo/packed-tree.ts';
import { openPoints, pointsAround } from '../../geo/shapes/point-set.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { packArray, type Pack } from '../packs/pack-file.ts';
import { LEAST_PEOPLE, SETTLEMENT_SCALE as SCALE, type SettlementsMeta } from './build/build-settlements.ts';
import { textAt } from './pack-arrays.ts';
import { urbanRadiusM } from './urban-radius.ts';

/** Answers from settlements whether a place is densely built. Not to be used by two threads at once. */
interface Settlements {
  density(shape: Shape): Density;
}

export function openSettlements(pack: Pack): Settlements {
  const meta = pack.header.meta as SettlementsMeta;
  const points = openPoints(packArray(pack, 'boxes', 'Int32Array'), meta.count, SCALE);
  const people = packArray(pack, 'people', 'Uint32Array');
  const names = {
    offsets: packArray(pack, 'nameOffsets', 'Uint32Array'),
    bytes: packArray(pack, 'nameBytes', 'Uint8Array'),
  };
  const hits = createHits();
  const { boxes } = points.tree;
  return {
    density(shape) {
      pointsAround(points, shape.bbox, meta.largestRadiusM, hits);
      let nearest = -1;
      let distanceM = Infinity;
      let share = Infinity;
      for (let i = 0; i < hits.count; i++) {
        const id = hits.ids[i];
        const radiusM = urbanRadiusM(people[id]);
        const limit = share === Infinity ? meta.largestRadiusM : Math.min(meta.largestRadiusM, share * radiusM);
        const d = distanceToShapeM(shape, boxes[id * 4] / SCALE, boxes[id * 4 + 1] / SCALE, limit);
        if (d / radiusM >= share) continue;
        share = d / radiusM;
        distanceM = d;
        nearest = id;
      }
      if (nearest < 0) return FAR;
      return describe(textAt(names, nearest), people[nearest], distanceM, share <= 1);
    },
  };
}

const NONE_NEAR = ['No settlement of', thousands(LEAST_PEOPLE), 'people or more is near.'].join(' ');
const FAR: Density = {
  dense: false,
  detail: NONE_NEAR,
  said: { code: 'settlement_far', params: { people: LEAST_PEOPLE }, message: NONE_NEAR },
};

function describe(name: string, people: number, distanceM: number, dense: boolean): Density {
  const reach = (urbanRadiusM(people) / 1000).toFixed(1);
  const place = `${(distanceM / 1000).toFixed(1)} km from the centre of ${name} (${thousands(people)} people)`;
  const side = dense ? 'inside' : 'outside';
  const detail = [place, ', ', side, ' the ', reach, ' km its dense ground is taken to reach.'].join('');
  const params = { distance_m: distanceM, name, people, dense: dense ? 'yes' : 'no', reach_m: urbanRadiusM(people) };
  return { dense, detail, said: { code: 'settlement_near', params, message: detail }, distanceM };
}

/** A whole number with commas; `toLocaleString` takes longer than the rest of an answer. */
function thousands(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
