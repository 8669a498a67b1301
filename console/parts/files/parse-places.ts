/** A pasted place. */
export interface PastedPlace {
  readonly lon: number;
  readonly lat: number;
  readonly name: string;
}

interface PastedPlaces {
  readonly places: readonly PastedPlace[];
  /** Numbers of the lines, from 1, that hold no place. */
  readonly unread: readonly number[];
}

export type AxisOrder = 'lat-lon' | 'lon-lat';

const NUMBER = String.raw`[-+]?\d+(?:\.\d+)?`;
const WKT = new RegExp(String.raw`^(?:SRID=4326;\s*)?POINT\s*(?:Z\s*)?\(\s*(${NUMBER})\s+(${NUMBER})`, 'i');
const PAIR = new RegExp(
  String.raw`^\(?\s*(${NUMBER})\s*°?\s*([NSEW]?)\s*[,;\s]\s*(${NUMBER})\s*°?\s*([NSEW]?)\s*\)?(.*)$`,
  'i',
);

/**
 * Places out of pasted text, one a line: two decimal numbers and a name, with commas, semicolons, tabs or spaces between them, hemispheres
 * after the numbers or not; or `POINT(lon lat)`. Letters of hemispheres decide over `order`.
 */
export function parsePlaces(text: string, order: AxisOrder): PastedPlaces {
  const places: PastedPlace[] = [];
  const unread: number[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const place = placeOf(line, order);
    if (place === null) unread.push(i + 1);
    else places.push(place);
  }
  return { places, unread };
}

function placeOf(line: string, order: AxisOrder): PastedPlace | null {
  const wkt = WKT.exec(line);
  if (wkt !== null) return checked(Number(wkt[1]), Number(wkt[2]), line.slice(line.indexOf(')') + 1));
  const pair = PAIR.exec(line);
  if (pair === null) return null;
  const [, first = '', firstLetter = '', second = '', secondLetter = '', rest = ''] = pair;
  const a = signed(first, firstLetter);
  const b = signed(second, secondLetter);
  const isLonFirst =
    firstLetter !== '' || secondLetter !== ''
      ? /[EW]/i.test(firstLetter) || /[NS]/i.test(secondLetter)
      : order === 'lon-lat';
  return isLonFirst ? checked(a, b, rest) : checked(b, a, rest);
}

function signed(number: string, letter: string): number {
  return /[SW]/i.test(letter) ? -Math.abs(Number(number)) : Number(number);
}

function checked(lon: number, lat: number, rest: string): PastedPlace | null {
  if (Math.abs(lon) > 180 || Math.abs(lat) > 90) return null;
  return {
    lon,
    lat,
    name: rest
      .replace(/^[\s,;]+/, '')
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  };
}

/** The places as a GeoJSON file. */
export function placesFile(places: readonly PastedPlace[], name: string): File {
  const features = places.map(({ lon, lat, name: label }) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [lon, lat] },
    properties: label === '' ? {} : { name: label },
  }));
  return new File([JSON.stringify({ type: 'FeatureCollection', features })], name, { type: 'application/geo+json' });
}
