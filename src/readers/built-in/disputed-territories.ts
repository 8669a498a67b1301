import type { Whereabouts } from '../../facilities/sources.ts';
import { pointInRing } from '../../geo/rings/point-in-polygon.ts';
import type { Bbox, LonLat } from '../../geo/shapes/shape.ts';
import { countryName } from './country-code.ts';

/** A territory that more than one state, or an entity that few states recognise, claims. */
interface DisputedTerritory {
  readonly name: string;
  /** Everybody who claims it, whoever administers it. ISO alpha-2, or a name where there is no code. */
  readonly claims: readonly string[];
  /** The borders of the data put its ground into these countries; a point that lies in another one is not in the territory. */
  readonly within: readonly string[];
  /** Approximate outline, longitude and latitude in turn, closed. Drawn wide where `within` cuts it exactly. */
  readonly ring: readonly number[];
  /** ISO alpha-2 of who administers it in fact, where the borders of the data say otherwise; else null. */
  readonly administeredBy: string | null;
}

/**
 * Disputed land, as far as was known in 2026. The outlines are approximate: drawn by hand after commonly published maps and the
 * positions of towns, to within about 10 km, and no statement on any border. Where the land borders of the data run along the
 * line of control, they cut the outline; inside a country of the data (the occupied parts of Ukraine, Northern Cyprus, Somaliland,
 * the Essequibo region, Arunachal Pradesh and others) the outline alone decides, and front lines move. The borders of the data
 * mostly follow who administers the ground, so the country they give is kept. Most islets and disputes over a few square
 * kilometres are left out. Kept by a table of towns in and near each territory (disputed-territories.test.ts).
 */
export const DISPUTED_TERRITORIES: readonly DisputedTerritory[] = [
  territory(
    'Crimea',
    'UA RU',
    'UA RU',
    '32.2 45.2, 33.3 44.2, 35.6 44.5, 36.7 45.0, 36.7 45.55, 35.3 45.5, 34.75 46.05, 34.4 46.02, 33.7 46.2, 33.55 46.12, 32.4 45.6',
  ),
  territory(
    'the parts of Donetsk, Luhansk, Zaporizhzhia and Kherson that Russia occupies',
    'UA RU',
    'UA',
    '31.45 46.57, 31.45 46.3, 32.7 45.9, 33.6 46.1, 34.7 45.9, 35.3 45.9, 38.3 46.8, 40.4 47.4, 40.4 49.7, 38.3 50.1, 37.95 49.6, 38.0 49.2, 38.05 48.95, 37.95 48.85, 37.8 48.6, 37.7 48.4, 37.3 48.15, 36.8 47.95, 36.5 47.75, 36.1 47.6, 35.85 47.5, 35.4 47.47, 35.2 47.5, 34.66 47.53, 34.4 47.52, 34.1 47.45, 33.85 47.2, 33.6 46.95, 33.38 46.79, 33.05 46.74, 32.7 46.635, 32.4 46.56',
  ),
  territory('Western Sahara', 'EH MA', 'EH MA', '-17.6 20.6, -8.6 20.6, -8.6 27.667, -13.4 27.667, -17.6 24.0'),
  territory(
    'Jammu, Kashmir and Ladakh',
    'IN PK',
    'IN',
    '73.6 33.2, 74.0 32.7, 74.6 32.4, 75.3 32.25, 75.62 32.36, 75.85 32.5, 75.88 32.8, 76.0 33.0, 76.3 33.2, 76.8 33.2, 77.2 32.9, 77.7 33.0, 77.9 32.7, 78.3 32.55, 78.75 32.4, 79.6 32.4, 79.6 33.5, 78.6 35.6, 76.7 35.8, 73.5 34.9',
  ),
  territory(
    'Azad Kashmir and Gilgit-Baltistan',
    'PK IN',
    'PK',
    '73.6 33.1, 73.65 33.05, 74.0 32.85, 74.5 32.85, 74.5 33.9, 75.5 34.3, 77.3 34.8, 77.3 35.7, 75.9 37.2, 73.5 37.0, 73.3 36.65, 72.8 36.4, 72.5 36.1, 72.6 35.85, 73.1 35.75, 73.5 35.5, 73.75 35.35, 74.05 35.1, 73.8 34.85, 73.5 34.6, 73.38 34.4, 73.45 34.1, 73.57 33.8, 73.6 33.5',
  ),
  territory(
    'Aksai Chin',
    'CN IN',
    'CN',
    '78.0 35.5, 78.0 34.4, 78.7 33.6, 79.1 33.9, 79.5 34.4, 80.3 35.3, 80.1 35.75, 79.4 35.85, 78.4 35.7',
  ),
  territory(
    'the Shaksgam valley',
    'CN IN',
    'CN',
    '74.9 36.95, 75.9 36.4, 76.2 35.8, 76.9 35.4, 77.7 35.4, 77.0 36.2, 76.2 36.85, 75.5 37.0',
  ),
  territory(
    'Arunachal Pradesh',
    'IN CN',
    'IN',
    '91.5 27.9, 91.5 27.4, 92.1 26.89, 93.0 26.92, 93.4 27.0, 93.83 27.11, 94.0 27.36, 94.4 27.58, 94.75 27.7, 95.2 27.95, 95.5 27.97, 95.75 27.78, 95.85 27.55, 95.95 27.4, 95.9 27.25, 95.7 27.2, 95.4 27.22, 95.1 26.95, 95.2 26.72, 95.5 26.7, 96.3 26.7, 97.6 27.4, 97.6 28.6, 96.3 29.7, 94.0 29.4, 92.5 28.3',
  ),
  territory(
    'Kalapani and Limpiyadhura',
    'IN NP',
    'IN NP',
    '80.55 30.25, 80.85 30.1, 80.95 30.1, 81.05 30.25, 80.7 30.5',
  ),
  territory('Doklam', 'BT CN', 'BT CN', '88.92 27.25, 89.1 27.25, 89.1 27.38, 88.95 27.36'),
  territory('Abyei', 'SD SS', 'SD SS', '27.83 9.45, 28.85 9.45, 28.85 10.17, 27.83 10.17'),
  territory('Kafia Kingi', 'SD SS', 'SD', '23.4 8.5, 24.9 8.6, 25.2 9.9, 23.6 9.9'),
  territory(
    'the Halaib triangle',
    'EG SD',
    'EG SD',
    '34.1 22.0, 37.5 21.99, 35.7 23.3, 35.5 23.15, 34.9 22.8, 34.1 22.1',
  ),
  territory(
    'the Ilemi triangle',
    'KE SS ET',
    'KE SS ET',
    '34.4 4.62, 35.3 4.62, 35.8 4.62, 35.95 4.8, 35.95 5.3, 35.3 5.45, 34.7 4.95',
  ),
  territory(
    'Somaliland',
    'SO|Somaliland',
    'SO',
    '42.5 10.8, 43.5 9.2, 44.0 8.9, 47.0 7.9, 48.0 7.9, 48.0 8.15, 48.9 9.05, 48.98 9.4, 48.98 11.6, 43.0 11.7',
  ),
  territory('Mayotte', 'YT KM', 'YT', '44.9 -13.1, 45.4 -13.1, 45.4 -12.5, 44.9 -12.5'),
  territory('Kosovo', 'XK RS', 'XK', '19.8 41.7, 22.0 41.7, 22.0 43.4, 19.8 43.4'),
  territory(
    'the Golan Heights',
    'SY IL',
    'IL',
    '35.62 33.28, 35.65 33.1, 35.64 32.92, 35.67 32.85, 35.67 32.7, 35.95 32.7, 35.95 33.45, 35.7 33.35',
  ),
  territory('East Jerusalem', 'PS IL', 'PS IL', '35.225 31.87, 35.225 31.72, 35.28 31.72, 35.28 31.87', 'IL'),
  territory('the West Bank', 'PS IL', 'PS', '34.8 31.2, 35.7 31.2, 35.7 32.7, 34.8 32.7'),
  territory(
    'Northern Cyprus',
    'CY|Northern Cyprus',
    'CY',
    '32.75 35.15, 32.85 35.09, 33.0 35.155, 33.3 35.178, 33.36 35.178, 33.45 35.16, 33.5 35.08, 33.6 35.07, 33.7 35.06, 33.9 35.085, 34.1 35.08, 34.8 35.7, 34.5 35.8, 32.8 35.5',
  ),
  territory(
    'Transnistria',
    'MD Transnistria',
    'MD',
    '28.55 48.17, 28.7 48.0, 28.88 47.9, 28.98 47.75, 29.05 47.5, 29.13 47.27, 29.3 47.1, 29.5 46.93, 29.42 46.88, 29.42 46.78, 29.55 46.72, 29.75 46.6, 29.9 46.52, 30.2 46.5, 30.2 47.2, 29.4 48.0, 28.9 48.3',
  ),
  territory(
    'Abkhazia',
    'GE Abkhazia',
    'GE',
    '39.8 43.7, 39.8 43.2, 41.2 42.3, 41.55 42.38, 41.78 42.55, 41.92 42.63, 42.0 42.75, 42.15 42.95, 42.45 43.15, 42.4 43.35, 41.0 43.8',
  ),
  territory(
    'South Ossetia',
    'GE|South Ossetia',
    'GE',
    '43.5 42.5, 43.6 42.35, 43.6 42.17, 43.75 42.1, 43.95 42.18, 44.1 42.17, 44.3 42.08, 44.5 42.05, 44.58 42.15, 44.4 42.35, 44.25 42.5, 44.25 42.75, 43.6 42.75',
  ),
  territory('Taiwan', 'TW CN', 'TW', '117.9 21.7, 122.3 21.7, 122.3 26.5, 117.9 26.5'),
  territory('Kinmen', 'TW CN', 'TW CN', '118.2 24.36, 118.5 24.36, 118.52 24.53, 118.3 24.53, 118.2 24.47', 'TW'),
  territory('Matsu', 'TW CN', 'TW CN', '119.88 26.1, 120.05 26.1, 120.05 26.3, 119.95 26.27, 119.88 26.19', 'TW'),
  territory(
    'the southern Kuril Islands',
    'RU JP',
    'RU',
    '145.3 43.1, 147.2 43.1, 149.2 45.3, 149.2 45.7, 147.3 45.7, 145.2 44.5',
  ),
  territory('Dokdo', 'KR JP', 'KR', '131.8 37.2, 131.95 37.2, 131.95 37.3, 131.8 37.3'),
  territory('the Senkaku Islands', 'JP|CN|TW', 'JP CN TW', '123.3 25.6, 124.7 25.6, 124.7 26.05, 123.3 26.05'),
  territory(
    'the Essequibo region',
    'GY VE',
    'GY',
    '-58.4 7.05, -58.57 6.6, -58.57 6.3, -58.6 6.0, -58.75 5.4, -58.67 4.67, -58.57 4.0, -58.4 3.3, -58.6 2.4, -58.8 1.1, -60.3 1.1, -61.6 5.0, -61.6 7.0, -60.2 9.0, -58.3 7.5',
  ),
  territory('the Tigri area', 'GY SR', 'GY SR', '-57.6 3.3, -58.0 2.0, -57.3 1.9, -57.05 2.3, -57.25 2.8'),
  territory('the Litani area', 'GF SR', 'GF FR', '-54.6 2.2, -53.75 2.2, -53.75 3.0, -54.1 3.5, -54.4 2.8'),
  territory(
    'the south of Belize',
    'BZ GT',
    'BZ',
    '-89.4 15.8, -88.0 15.8, -87.9 17.3, -88.25 17.43, -88.6 17.3, -88.7 17.15, -89.1 17.03, -89.4 17.03',
  ),
  territory('the Falkland Islands', 'FK AR', 'FK', '-61.6 -52.6, -57.4 -52.6, -57.4 -50.8, -61.6 -50.8'),
  territory('South Georgia', 'GS AR', 'GS', '-38.6 -55.2, -35.4 -55.2, -35.4 -53.7, -38.6 -53.7'),
  territory('Gibraltar', 'GI ES', 'GI', '-5.4 36.0, -5.3 36.0, -5.3 36.2, -5.4 36.2'),
];

/** A place as the data has it, with the country that administers a disputed territory in fact, and who else claims it. */
export function withDispute(at: LonLat, where: Whereabouts): Whereabouts {
  const found = where.country === null ? null : disputedAt(at, where.country.iso2);
  if (found === null) return where;
  const iso2 = found.administeredBy ?? where.country!.iso2;
  const others = found.claims.filter((claim) => claim !== iso2);
  return {
    ...where,
    country: { iso2, name: countryName(iso2) },
    neighbours: where.neighbours.filter((neighbour) => neighbour.iso2 !== iso2),
    disputed: {
      name: found.name,
      otherClaims: others.map((claim) => (isCode(claim) ? countryName(claim) : claim)),
      otherCodes: others.filter(isCode),
    },
  };
}

/** The disputed territory that holds a point which the data puts into `iso2`, or null. */
function disputedAt([lon, lat]: LonLat, iso2: string): DisputedTerritory | null {
  for (const one of DISPUTED_TERRITORIES) if (one.within.includes(iso2) && pointInRing(one.ring, lon, lat)) return one;
  return null;
}

/** Whether a box in degrees may hold a place of a disputed territory which the data puts into `iso2`. */
export function mayBeDisputed([west, south, east, north]: Bbox, iso2: string): boolean {
  return DISPUTED_TERRITORIES.some(({ within, ring }) => {
    if (!within.includes(iso2)) return false;
    const lons = ring.filter((_, i) => i % 2 === 0);
    const lats = ring.filter((_, i) => i % 2 === 1);
    return (
      Math.min(...lons) <= east && Math.max(...lons) >= west && Math.min(...lats) <= north && Math.max(...lats) >= south
    );
  });
}

function isCode(claim: string): boolean {
  return /^[A-Z]{2}$/.test(claim);
}

/** `claims` are codes and single words with spaces between, or names with bars between; the ring is closed here. */
function territory(
  name: string,
  claims: string,
  within: string,
  outline: string,
  administeredBy: string | null = null,
): DisputedTerritory {
  const points = outline.split(', ').map((point) => point.split(' ').map(Number));
  return {
    name,
    administeredBy,
    claims: claims.split(claims.includes('|') ? '|' : ' '),
    within: within.split(' '),
    ring: [...points, points[0]!].flat(),
  };
}
