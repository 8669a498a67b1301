import type { Pack } from '../../packs/pack-file.ts';
import { type IndexGroup, openSlimIndex } from './pack.ts';
import type { IndexedFile } from './rows.ts';
import { compareZones, fromMeridian, pixelsOfDegrees, toPixel, ZONE_REACH } from '../zone-raster/degrees.ts';
import { holdsPixel, intersection, zoneLattice, type Bounds } from '../zone-raster/lattice.ts';

/** Zone and year that answer for a place, and where it lies on the zone's lattice, with fractions of a pixel. */
interface IndexPlace extends IndexGroup {
  readonly x: number;
  readonly y: number;
}

/** Which files of AEF there are, by place and year. */
export interface AefIndex {
  /** The newest year with a file at the place, decided for each place, and the zone that answers; null: no file. */
  at(lon: number, lat: number): IndexPlace | null;
  /** Zones with files of one year that touch a box in degrees; null: the newest year of which there are any. */
  touching(bbox: Bounds, year: number | null): readonly IndexGroup[];
  /** The files of a zone and year in order of their paths; none for a zone and year that are not there. */
  files(group: IndexGroup): readonly IndexedFile[];
}

/** Groups kept decompressed: all years of the zones around a few places. */
const KEPT_GROUPS = 96;

/** Opens a slim index for lookups. Nothing is read from disk any more. */
export function openAefIndex(pack: Pack): AefIndex {
  const groups = openSlimIndex(pack);
  const byName = new Map(groups.map((group) => [nameOf(group), group] as const));
  const years = [...new Set(groups.map(({ year }) => year))].toSorted((a, b) => b - a);
  const kept = new Map<string, readonly IndexedFile[]>();

  function files(group: IndexGroup): readonly IndexedFile[] {
    const name = nameOf(group);
    const found = kept.get(name) ?? byName.get(name)?.files() ?? [];
    kept.delete(name);
    kept.set(name, found);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_GROUPS && oldest !== undefined) kept.delete(oldest);
    return found;
  }

  return {
    files,
    at(lon, lat) {
      const compare = compareZones(lon, lat);
      for (const year of years) {
        const candidates = groups
          .filter((group) => group.year === year && Math.abs(fromMeridian(lon, group.epsg)) <= ZONE_REACH)
          .map(({ epsg }) => placeIn(files({ epsg, year }), { epsg, year }, lon, lat))
          .filter((candidate) => candidate !== null);
        const [first] = candidates.toSorted(compare);
        if (first !== undefined) return { epsg: first.epsg, year, x: first.x, y: first.y };
      }
      return null;
    },
    touching(bbox, wanted) {
      for (const year of wanted === null ? years : [wanted]) {
        const found = groups.filter((group) => group.year === year && touches(files(group), group, bbox));
        if (found.length > 0) return found.map(({ epsg }) => ({ epsg, year }));
      }
      return [];
    },
  };
}

function nameOf({ epsg, year }: IndexGroup): string {
  return `${epsg} ${year}`;
}

/** Where a place lies on the lattice of a zone, when a file holds it. */
function placeIn(
  files: readonly IndexedFile[],
  { epsg, year }: IndexGroup,
  lon: number,
  lat: number,
): (IndexPlace & { inFootprint: boolean }) | null {
  const { x, y } = toPixel(zoneLattice(epsg), lon, lat);
  const holding = files.filter(({ rect }) => holdsPixel(rect, x, y));
  if (holding.length === 0) return null;
  const inFootprint = holding.some(({ footprint }) => footprint === null || holdsDegrees(footprint, lon, lat));
  return { epsg, year, x, y, inFootprint };
}

function touches(files: readonly IndexedFile[], { epsg }: IndexGroup, bbox: Bounds): boolean {
  const pixels = pixelsOfDegrees(zoneLattice(epsg), bbox);
  return pixels !== null && files.some(({ rect }) => intersection(rect, pixels) !== null);
}

function holdsDegrees([west, south, east, north]: Bounds, lon: number, lat: number): boolean {
  const width = east >= west ? east - west : east - west + 360;
  const offset = lon - west;
  return offset - 360 * Math.floor(offset / 360) <= width && lat >= south && lat <= north;
}
