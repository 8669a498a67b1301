import { type EdgeSet, type EdgeSetMeta, openEdgeSet, type StoredEdgeSet } from '../../geo/edges/edge-set.ts';
import { packArray, type Pack } from '../packs/pack-file.ts';

/** The arrays of an edge set under the names they have in a pack. */
export function namedArrays(
  prefix: string,
  { arrays }: StoredEdgeSet,
): Record<string, Uint8Array | Int32Array | Uint32Array> {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [`${prefix}.${name}`, array]));
}

/** The edge set that `namedArrays` put into a pack, over the pack's shared memory. */
export function packedEdgeSet(pack: Pack, prefix: string, meta: EdgeSetMeta): EdgeSet {
  const arrays = {
    boxes: packArray(pack, `${prefix}.boxes`, 'Int32Array'),
    offsets: packArray(pack, `${prefix}.offsets`, 'Uint32Array'),
    bytes: packArray(pack, `${prefix}.bytes`, 'Uint8Array'),
    cells: packArray(pack, `${prefix}.cells`, 'Uint8Array'),
  };
  return openEdgeSet({ arrays, meta });
}
