import { type EdgeSet, type EdgeSetMeta, openEdgeSet, type StoredEdgeSet } from '../../geo/edges/edge-set.ts';
import { type Pack, packArray } from '../packs/pack-file.ts';

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

/** Texts laid end to end in UTF-8, to be kept in shared memory. */
export interface TextTable {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder();

export function packTexts(texts: readonly string[]): TextTable {
  const parts = texts.map((text) => new TextEncoder().encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  parts.forEach((part, i) => (offsets[i + 1] = offsets[i] + part.length));
  const bytes = new Uint8Array(offsets[texts.length]);
  parts.forEach((part, i) => bytes.set(part, offsets[i]));
  return { offsets, bytes };
}

/** One text of a table. Copies it first, because decoders refuse shared memory. */
export function textAt({ offsets, bytes }: TextTable, index: number): string {
  return decoder.decode(bytes.slice(offsets[index], offsets[index + 1]));
}
