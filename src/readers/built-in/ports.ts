import type { Nearby } from '../../facilities/sources.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { createHits } from '../../geo/packed-tree.ts';
import { openPoints, pointsAround } from '../../geo/shapes/point-set.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { packArray, type Pack } from '../packs/pack-file.ts';
import { PORT_KINDS, PORT_SCALE, type PortsMeta } from './build/build-ports.ts';
import { textAt } from './text-table.ts';

/** Answers which port is near. Not to be used by two threads at once. */
interface Ports {
  /** The nearest port within so many metres; the first in the pack among equals. */
  nearest(shape: Shape, withinM: number): Nearby | null;
}

export function openPorts(pack: Pack): Ports {
  const { count } = pack.header.meta as PortsMeta;
  const points = openPoints(packArray(pack, 'boxes', 'Int32Array'), count, PORT_SCALE);
  const kinds = packArray(pack, 'kinds', 'Uint8Array');
  const names = {
    offsets: packArray(pack, 'nameOffsets', 'Uint32Array'),
    bytes: packArray(pack, 'nameBytes', 'Uint8Array'),
  };
  const hits = createHits();
  const { boxes } = points.tree;
  return {
    nearest(shape, withinM) {
      pointsAround(points, shape.bbox, withinM, hits);
      let nearest = -1;
      let distanceM = withinM;
      for (let i = 0; i < hits.count; i++) {
        const id = hits.ids[i];
        const d = distanceToShapeM(shape, boxes[id * 4] / PORT_SCALE, boxes[id * 4 + 1] / PORT_SCALE, distanceM);
        if (d > distanceM || (d === distanceM && nearest >= 0 && nearest < id)) continue;
        distanceM = d;
        nearest = id;
      }
      return nearest < 0 ? null : { distanceM, name: textAt(names, nearest), kind: PORT_KINDS[kinds[nearest]] };
    },
  };
}
