import { basename } from 'node:path';
import { cornerOn, placeOn, type RasterLattice } from '../zone-raster/lattice.ts';
import type { RasterFile } from '../zone-raster/zone-raster.ts';

/** The header of a file, as far as its place goes. */
export interface TiffHeader {
  readonly path: string;
  readonly lattice: RasterLattice;
}

/** Files that are one raster. */
interface TiffGroup {
  readonly id: string;
  readonly lattice: RasterLattice;
  readonly files: readonly RasterFile[];
}

/**
 * Joins files whose pixels lie on one lattice, in the order they are given. The raster of a group is the smallest one
 * that holds all of them; a file alone is its own. A group is named after its CRS, or after its first file where a CRS
 * has several groups.
 */
export function groupTiffFiles(headers: readonly TiffHeader[]): TiffGroup[] {
  const groups: TiffHeader[][] = [];
  for (const header of headers) {
    const group = groups.find(([first]) => cornerOn(first.lattice, header.lattice) !== null);
    if (group === undefined) groups.push([header]);
    else group.push(header);
  }
  const names = namesOf(groups);
  return groups.map((group, i) => {
    const lattice = jointLattice(group.map((header) => header.lattice));
    return {
      id: names[i],
      lattice,
      files: group.map((header) => ({ path: header.path, rect: placeOn(lattice, header.lattice, header.path) })),
    };
  });
}

function namesOf(groups: readonly (readonly TiffHeader[])[]): string[] {
  const all = groups.map(([{ lattice }]) => lattice.crs);
  const names = groups.map(([{ path, lattice }]) =>
    all.indexOf(lattice.crs) === all.lastIndexOf(lattice.crs) ? lattice.crs : `${lattice.crs} ${basename(path)}`,
  );
  // Files of one name in two folders.
  return names.map((name, i) => (names.indexOf(name) === i ? name : `${name} ${i + 1}`));
}

/** The smallest lattice with the pixels of all. */
function jointLattice(lattices: readonly RasterLattice[]): RasterLattice {
  const [first] = lattices;
  const rects = lattices.map((lattice) => placeOn(first, lattice, ''));
  const left = Math.min(...rects.map((rect) => rect.left));
  const top = Math.min(...rects.map((rect) => rect.top));
  const [a, , c, , e, f] = first.transform;
  return {
    crs: first.crs,
    width: Math.max(...rects.map((rect) => rect.right)) - left,
    height: Math.max(...rects.map((rect) => rect.bottom)) - top,
    transform: [a, 0, c + left * a, 0, e, f + top * e],
  };
}
