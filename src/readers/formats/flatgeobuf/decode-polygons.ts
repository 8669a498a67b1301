import { FlatTable } from './flat-table.ts';
import { GEOMETRY } from './layout.ts';

/** Parts of parts of a geometry; deeper ones are not read. */
const MAX_DEPTH = 4;

/**
 * The polygons of one encoded feature, each an exterior ring and holes, with their coordinates to the last bit; `at` is where
 * its FlatBuffer begins in the view. Empty for a feature that is no area. Throws a `RangeError` for one that is damaged.
 */
export function decodePolygons(view: DataView, at: number, headerType: number): Float64Array[][] {
  const geometry = FlatTable.root(view, at).table(0);
  const polygons: Float64Array[][] = [];
  if (geometry !== null) addPolygons(geometry, headerType, polygons, 0);
  return polygons;
}

function addPolygons(geometry: FlatTable, headerType: number, out: Float64Array[][], depth: number): void {
  const own = geometry.byte(6);
  const type = own === GEOMETRY.unknown ? headerType : own;
  if (type === GEOMETRY.multiPolygon || type === GEOMETRY.collection) {
    // The parts of a MultiPolygon need not say that they are polygons.
    const partType = type === GEOMETRY.multiPolygon ? GEOMETRY.polygon : GEOMETRY.unknown;
    if (depth < MAX_DEPTH) for (const part of geometry.tables(7)) addPolygons(part, partType, out, depth + 1);
    return;
  }
  if (type !== GEOMETRY.polygon) return;
  const rings = ringsOf(geometry);
  if (rings.length > 0) out.push(rings);
}

function ringsOf(geometry: FlatTable): Float64Array[] {
  const xy = geometry.vector(1, 8);
  if (xy === null) return [];
  const ends = geometry.vector(0, 4);
  const vertices = xy.length >> 1;
  const rings: Float64Array[] = [];
  let from = 0;
  for (let ring = 0; ring < (ends?.length ?? 1); ring++) {
    const to = ends === null ? vertices : geometry.view.getUint32(ends.start + ring * 4, true);
    if (to < from || to > vertices) throw new RangeError(`a ring ends at vertex ${to} of ${vertices}`);
    const out = new Float64Array((to - from) * 2);
    for (let i = 0; i < out.length; i++) out[i] = geometry.view.getFloat64(xy.start + from * 16 + i * 8, true);
    if (out.length >= 8) rings.push(out);
    from = to;
  }
  return rings;
}
