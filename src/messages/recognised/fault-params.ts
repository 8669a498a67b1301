import { memberInWords, withDetails, type Details } from '../geometry-place.ts';
import type { Param, Params, Said } from '../said.ts';

/** What sentences say of a place besides its name, and the code and parameters of each: as they come from where faults are found. */
const DETAILS: readonly (readonly [blanks: readonly string[], code: string, as: readonly string[]])[] = [
  [['lon', 'lat'], 'at', ['lon', 'lat']],
  [['corner', 'corners'], 'near', ['corner', 'corners']],
  [['latitude'], 'latitude', ['value']],
  [['longitude'], 'longitude', ['value']],
  [['first', 'last'], 'ends', ['first', 'last']],
  [['positions'], 'positions', ['count']],
  [['vertices', 'most'], 'vertices', ['count', 'most']],
  [['parts', 'most'], 'parts', ['count', 'most']],
  [['what'], 'found', ['what']],
  [['types'], 'types', ['types']],
  [['nested'], 'nested', []],
];

/** The parameters of a fault of a geometry, from the blanks of its sentence: its place with all that is said of it. */
export function faultParams(blanks: Params): Params {
  const read = withCorner(blanks);
  const details: Details = DETAILS.flatMap(([names, code, as]) =>
    names.every((name) => read[name] !== undefined)
      ? [[code, Object.fromEntries(as.map((name, i) => [name, read[names[i]!]!]))] as const]
      : [],
  );
  const hints: Details = typeof read['hint'] === 'string' ? [[read['hint'], {}]] : [];
  if (details.length === 0 && read['spot'] === undefined) return read;
  return { ...read, spot: withDetails(placeIn(read['spot']), [...details, ...hints]) };
}

/** A vertex as older versions counted, from 0 to the last one, which is the first again, as the corner that it is. */
function withCorner(blanks: Params): Params {
  const { vertex, end } = blanks;
  if (typeof vertex !== 'number' || typeof end !== 'number' || end === 0) return blanks;
  return { ...blanks, corner: (vertex % end) + 1, corners: end };
}

function placeIn(spot: Param | undefined): Said {
  if (typeof spot === 'object' && 'code' in spot) return spot;
  return typeof spot === 'string'
    ? { code: 'place.pointer', params: { pointer: spot }, message: spot }
    : memberInWords('');
}
