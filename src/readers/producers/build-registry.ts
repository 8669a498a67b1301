import { curveOrder, packPoints } from '../../geo/shapes/point-set.ts';
import { packTexts } from '../built-in/pack-arrays.ts';
import { createPack, type Pack } from '../packs/pack-file.ts';
import { GRAMS, gramsOf, normaliseName } from './normalise-name.ts';
import { NAME_SEPARATOR, REGISTRY_LAYOUT, REGISTRY_SCALE, type RegistryMeta, type RegistryRecord } from './registry.ts';

/** A registry as one file: places with a tree over them, names as written and as compared, and where each run of letters occurs. */
export function buildRegistry(
  id: string,
  records: readonly RegistryRecord[],
  about: Omit<RegistryMeta, 'records' | 'located' | 'bbox'>,
): Pack {
  const { ordered, coordinates } = layOut(records);
  const names = packTexts(ordered.map((record) => record.names.join(NAME_SEPARATOR)));
  const words = ordered.map((record) => record.names.map(normaliseName));
  const compared = packTexts(words.map((each) => each.map((name) => name.join(' ')).join(NAME_SEPARATOR)));
  const ids = packTexts(ordered.map((record) => record.id));
  const located = coordinates.length / 2;
  const meta: RegistryMeta = { ...about, records: ordered.length, located, bbox: bboxOf(coordinates) };
  const arrays = {
    boxes: located === 0 ? new Int32Array(0) : packPoints(coordinates, REGISTRY_SCALE),
    countries: Uint8Array.from(ordered.flatMap(({ country }) => countryBytes(country))),
    nameOffsets: names.offsets,
    nameBytes: names.bytes,
    wordOffsets: compared.offsets,
    wordBytes: compared.bytes,
    idOffsets: ids.offsets,
    idBytes: ids.bytes,
    ...indexGrams(words),
  };
  return createPack(id, REGISTRY_LAYOUT, arrays, meta);
}

/** Records with a place first, along a space-filling curve, then the others as they came. */
function layOut(records: readonly RegistryRecord[]) {
  const located = records.filter(({ at }) => at !== null);
  const coordinates = located.flatMap(({ at }) => at ?? []);
  const order = Array.from(curveOrder(coordinates));
  return {
    ordered: [...order.map((i) => located[i]), ...records.filter(({ at }) => at === null)],
    coordinates: order.flatMap((i) => [coordinates[2 * i], coordinates[2 * i + 1]]),
  };
}

function bboxOf(coordinates: readonly number[]): RegistryMeta['bbox'] {
  if (coordinates.length === 0) return null;
  let [west, south, east, north] = [180, 90, -180, -90];
  for (let i = 0; i < coordinates.length; i += 2) {
    west = Math.min(west, coordinates[i]);
    east = Math.max(east, coordinates[i]);
    south = Math.min(south, coordinates[i + 1]);
    north = Math.max(north, coordinates[i + 1]);
  }
  return [west, south, east, north];
}

function countryBytes(country: string | null): [number, number] {
  return country === null ? [0, 0] : [country.charCodeAt(0), country.charCodeAt(1)];
}

/** For each run of three symbols the records that have it, ascending, one list after the other. */
function indexGrams(words: readonly (readonly (readonly string[])[])[]) {
  const grams = words.map((names) => Uint16Array.from(new Set(names.flatMap((name) => [...gramsOf(name)]))));
  const gramStarts = new Uint32Array(GRAMS + 1);
  for (const each of grams) for (const gram of each) gramStarts[gram + 1]++;
  for (let gram = 0; gram < GRAMS; gram++) gramStarts[gram + 1] += gramStarts[gram];
  const next = gramStarts.slice();
  const gramRecords = new Uint32Array(gramStarts[GRAMS]);
  for (const [record, each] of grams.entries()) for (const gram of each) gramRecords[next[gram]++] = record;
  return { gramStarts, gramRecords };
}
