import { Problem } from '../../errors.ts';
import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { Answer, BusinessesNearby, FacilitySources, Nearby } from '../../facilities/sources.ts';
import { distanceToShapeM } from '../../geo/shapes/distance-to-shape.ts';
import { geodesicDistanceM } from '../../geo/ellipsoid.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { businessReach, reachM, searchText } from '../themes/business-kinds.ts';
import { liveAnswer } from './live-answer.ts';
import type { Upstream, UpstreamAnswer, UpstreamQuestion } from './upstream.ts';

export const GOOGLE_PLACES_ID = 'google-places';

interface GooglePlacesOptions {
  readonly upstream: Upstream;
  readonly key: string;
  /** Without a trailing slash, such as `https://places.googleapis.com`. */
  readonly url: string;
}

interface Place {
  readonly id: string;
  readonly name: string | null;
  readonly lon: number;
  readonly lat: number;
  readonly kinds: readonly string[];
}

/** Only what is used is requested: a request is billed at the dearest field of its mask. */
const FIELDS = ['id', 'displayName', 'location', 'types', 'primaryType', 'businessStatus'];
/** Place types that can be requested and that trade in what the land gives. Keywords cannot be requested here. */
const TYPES = ['farm', 'ranch', 'wholesaler'];
/** The most one search gives. */
const MOST = 20;
/** Largest radius of a search, in metres. */
const WIDEST_M = 50_000;

/**
 * Businesses from Google Places (New): Nearby Search by type, and Text Search for the word of the commodity, because the
 * former knows no keywords. Google's terms do not allow its answers to be kept, so they are not.
 */
export function googlePlaces({ upstream, key, url }: GooglePlacesOptions): Pick<FacilitySources, 'businesses'> {
  const { name } = upstream;

  function search(path: string, body: Readonly<Record<string, unknown>>): UpstreamQuestion<readonly Place[]> {
    const text = JSON.stringify(body);
    return {
      method: 'POST',
      url: `${url}/v1/places:${path}`,
      headers: {
        'content-type': 'application/json',
        'x-goog-api-key': key,
        'x-goog-fieldmask': FIELDS.map((field) => `places.${field}`).join(','),
      },
      body: text,
      key: `${url} ${path} ${text}`,
      read: (answer) => readPlaces(name, answer),
    };
  }

  return {
    async businesses(commodity, shape, withinM, signal) {
      const { lon, lat, radius } = circleAround(name, shape, withinM);
      const circle = { center: { latitude: lat, longitude: lon }, radius };
      const settled = await Promise.allSettled([
        upstream.query(
          search('searchNearby', {
            includedTypes: TYPES,
            maxResultCount: MOST,
            rankPreference: 'DISTANCE',
            locationRestriction: { circle },
          }),
          signal,
        ),
        upstream.query(
          search('searchText', { textQuery: searchText(commodity), pageSize: MOST, locationBias: { circle } }),
          signal,
        ),
      ]);
      signal.throwIfAborted();
      return businessesIn(settled, commodity, shape, withinM);
    },
  };
}

/** Found by one search is found; nothing found needs both. */
function businessesIn(
  settled: readonly PromiseSettledResult<UpstreamAnswer<readonly Place[]>>[],
  commodity: Commodity | null,
  shape: Shape,
  withinM: number,
): Answer<BusinessesNearby> {
  const answers = settled.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const failed = settled.find((result) => result.status === 'rejected');
  const found = businessesAmong(
    answers.flatMap(({ value }) => value),
    commodity,
    shape,
    withinM,
  );
  if (answers.length === 0 || (failed !== undefined && found.count === 0)) throw failed?.reason;
  const answer = liveAnswer(GOOGLE_PLACES_ID, answers[0], found);
  if (failed === undefined) return answer;
  const note = `There may be more: ${(failed.reason as Error).message}.`;
  return { ...answer, dataset: { ...answer.dataset, note } };
}

function businessesAmong(
  places: readonly Place[],
  commodity: Commodity | null,
  shape: Shape,
  withinM: number,
): BusinessesNearby {
  const near = new Map<string, Nearby>();
  for (const { id, name, lon, lat, kinds } of places) {
    const limitM = reachM(businessReach(commodity, kinds, name === null ? [] : [name]), withinM);
    if (limitM < 0) continue;
    const distanceM = distanceToShapeM(shape, lon, lat, limitM);
    if (distanceM <= limitM) near.set(id, { distanceM, name, kind: (kinds[0] ?? 'business').replaceAll('_', ' ') });
  }
  const [nearest] = [...near.values()].toSorted((a, b) => a.distanceM - b.distanceM);
  return { count: near.size, nearest: nearest ?? null };
}

/** The circle that holds everything within so many metres of the shape. */
function circleAround(name: string, { bbox, inside }: Shape, withinM: number) {
  const [west, south, east, north] = bbox;
  const isPoint = west === east && south === north;
  const [lon, lat] = isPoint ? inside : [(west + east) / 2, (south + north) / 2];
  const corners = [south, north].map((edge) => geodesicDistanceM(lon, lat, west, edge));
  const radius = Math.ceil(withinM + (isPoint ? 0 : Math.max(...corners)));
  if (radius > WIDEST_M)
    throw new Problem(
      'dependency_unavailable',
      `${name} is queried for circles up to ${WIDEST_M / 1000} km, and this facility needs ${Math.round(radius / 1000)} km`,
    );
  return { lon, lat, radius };
}

/** The places of an answer. No places at all is an answer without the member; an error may come with any status. */
function readPlaces(name: string, body: unknown): readonly Place[] {
  const { places, error } = body as { places?: unknown; error?: { code?: unknown; status?: unknown } };
  if (error !== undefined) {
    const code = Number(error.code);
    throw Number.isInteger(code) && code >= 400
      ? new ByteSourceError('status', name, `an error inside a good status: ${String(error.status)}`, { status: code })
      : new ByteSourceError('refused', name, 'answered with an error inside a good status');
  }
  if (places === undefined && Object.keys(body as object).length === 0) return [];
  if (!Array.isArray(places)) throw new TypeError('wanted a list of places');
  return places.map(readPlace).filter((place) => place !== null);
}

/** Null for a place that has closed for good. */
function readPlace(value: unknown): Place | null {
  const { id, displayName, location, types, primaryType, businessStatus } = value as Readonly<Record<string, unknown>>;
  const { latitude, longitude } = (location ?? {}) as { latitude?: unknown; longitude?: unknown };
  if (typeof id !== 'string' || !isWithin(latitude, 90) || !isWithin(longitude, 180))
    throw new TypeError('wanted a place with id and location');
  if (businessStatus === 'CLOSED_PERMANENTLY') return null;
  const text = (displayName as { text?: unknown } | undefined)?.text;
  const kinds = [primaryType, ...(Array.isArray(types) ? (types as unknown[]) : [])];
  return {
    id,
    name: typeof text === 'string' ? text.slice(0, 200) : null,
    lon: longitude,
    lat: latitude,
    kinds: [...new Set(kinds.filter((kind) => typeof kind === 'string'))],
  };
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most;
}
