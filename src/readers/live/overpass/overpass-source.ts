import { Problem } from '../../../errors.ts';
import type { Answer, FacilitySources } from '../../../facilities/sources.ts';
import type { Shape } from '../../../geo/shapes/shape.ts';
import { createShared } from '../../io/share.ts';
import { liveAnswer } from '../live-answer.ts';
import type { Upstream, UpstreamAnswer } from '../upstream.ts';
import { type OverpassDocument, readOverpass } from './overpass-document.ts';
import { siteQuery, waterQuery } from './overpass-query.ts';
import { buildingsNear, businessesNear, nearestRoad, nearestWater } from './overpass-site.ts';
import { sendUpstream } from '../upstream-request.ts';
import { HOUR_MS } from '../../../durations.ts';

/** Name of the service; the dataset of an answer has the role after it, as `overpass-roads`. */
export const OVERPASS_ID = 'overpass';

/** The questions Overpass answers. */
type OverpassSources = Pick<FacilitySources, 'nearestRoad' | 'nearestWater' | 'buildings' | 'businesses'>;

interface OverpassOptions {
  readonly upstream: Upstream;
  /** Address of the interpreter, such as `https://overpass-api.de/api/interpreter`. */
  readonly url: string;
  /** Seconds the server may spend on a query. */
  readonly timeoutS: number;
  /** Metres in which things are looked for; one query serves roads, buildings and businesses. */
  readonly radii: { readonly roadM: number; readonly buildingM: number; readonly businessM: number };
}

/** Degrees a facility may span each way: beyond, a query would take the server more than it gives one client. */
const WIDEST_DEGREES = 0.2;

/** Roads, water, buildings and businesses from a live OpenStreetMap server. */
export function overpassSources({ upstream, url, timeoutS, radii }: OverpassOptions): OverpassSources {
  const shared = createShared<UpstreamAnswer<OverpassDocument>>();
  const fetchDocument = (query: string, signal: AbortSignal): Promise<UpstreamAnswer<OverpassDocument>> =>
    shared(query, signal, (inner) =>
      upstream.query(
        {
          method: 'POST',
          url,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `data=${encodeURIComponent(query)}`,
          key: `${url} ${query}`,
          read: (body) => readOverpass(upstream.name, body),
        },
        inner,
      ),
    );
  const limits = { timeoutS };

  async function site<T>(
    role: string,
    shape: Shape,
    signal: AbortSignal,
    look: (elements: OverpassDocument['elements']) => T,
  ): Promise<Answer<T>> {
    refuseWide(upstream.name, shape);
    const answer = await fetchDocument(siteQuery(shape.bbox, radii, limits), signal);
    return liveAnswer(`${OVERPASS_ID}-${role}`, answer, look(answer.value.elements), answer.value.dataDay);
  }

  return {
    nearestRoad: (shape, withinM, signal) =>
      site('roads', shape, signal, (elements) => nearestRoad(elements, shape, withinM)),
    buildings: (shape, radiusM, signal) =>
      site('buildings', shape, signal, (elements) => buildingsNear(elements, shape, radiusM)),
    businesses: (commodity, shape, withinM, signal) =>
      site('businesses', shape, signal, (elements) => businessesNear(elements, commodity, shape, withinM)),
    async nearestWater(shape, withinM, signal) {
      refuseWide(upstream.name, shape);
      const answer = await fetchDocument(waterQuery(shape.bbox, withinM, limits), signal);
      const { elements, dataDay } = answer.value;
      const nearest = nearestWater(elements, shape, withinM);
      // A place far out in a lake or at sea has no shore nearby to be found; data that holds whole seas has to be queried.
      return nearest === null ? null : liveAnswer(`${OVERPASS_ID}-water`, answer, nearest, dataDay);
    },
  };
}

function refuseWide(name: string, { bbox: [west, south, east, north] }: Shape): void {
  const widest = Math.max(east - west, north - south);
  if (widest > WIDEST_DEGREES)
    throw new Problem(
      'dependency_unavailable',
      `${name} is queried for facilities up to ${WIDEST_DEGREES} degrees across, and this one spans ${widest.toFixed(2)}`,
    );
}

/** Longest wait that is believed, in milliseconds. */
const LONGEST_MS = HOUR_MS;

/**
 * How long an Overpass server keeps this address waiting, in milliseconds: it answers 429 without `Retry-After`, and its
 * `/api/status` says "Slot available after: ..., in 12 seconds." Null when it says no such thing.
 */
export async function overpassQuietMs(
  name: string,
  interpreterUrl: string,
  signal: AbortSignal,
): Promise<number | null> {
  const url = interpreterUrl.replace(/\/interpreter$/, '/status');
  if (url === interpreterUrl) return null;
  const text = await sendUpstream({ method: 'GET', url }, { name, attemptMs: 2_000, maxBytes: 65_536 }, signal);
  if (/\d+ slots? available now/.test(text)) return 0;
  const waits = Array.from(text.matchAll(/in (\d{1,7}) seconds/g), ([, seconds]) => Number(seconds) * 1000);
  return waits.length === 0 ? null : Math.min(LONGEST_MS, ...waits);
}
