import type { Config } from '../../config/settings.ts';
import type { AnswerCache } from '../../readers/live/answer-cache.ts';
import { createUpstream, type UpstreamState } from '../../readers/live/upstream.ts';
import { createPace, liveGeocoder, type LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import { GOOGLE, NOMINATIM, PELIAS, PHOTON, type GeocoderService } from '../../readers/geocoders/geocoder-services.ts';
import { DAY_MS } from '../../durations.ts';

export type GeocoderConfig = Pick<
  Config,
  | 'googleGeocodingKey'
  | 'googleGeocodingUrl'
  | 'peliasUrl'
  | 'peliasKey'
  | 'nominatimUrl'
  | 'photonUrl'
  | 'geocoderIntervalMs'
>;

/** Ids of the state that the threads of a process share for each service. */
export const GEOCODER_IDS = [GOOGLE.id, PELIAS.id, NOMINATIM.id, PHOTON.id] as const;
/** The state whose cells hold when each service may be queried again. */
export const GEOCODER_PACE_ID = 'geocoder-pace';

/** Days a kept answer is given without a new query, and days it stands in when the service fails. */
const KEPT_DAYS = { fresh: 30, stale: 365 } as const;
const DEADLINE_MS = 10_000;
/** The first cell of a gate counts turns. */
const FIRST_CELL = 1;

/** The geocoders that are set up, in the order in which they are queried. */
export function openGeocoders(
  config: GeocoderConfig,
  state: Readonly<Record<string, UpstreamState>>,
  cache: AnswerCache | null,
): LiveGeocoder[] {
  const known: readonly (readonly [service: GeocoderService, url: string | null, key: string | null])[] = [
    [GOOGLE, config.googleGeocodingKey === null ? null : config.googleGeocodingUrl, config.googleGeocodingKey],
    [PELIAS, config.peliasUrl, config.peliasKey],
    [NOMINATIM, config.nominatimUrl, null],
    [PHOTON, config.photonUrl, null],
  ];
  const cells = new BigInt64Array(state[GEOCODER_PACE_ID].gate);
  return known.flatMap(([service, url, key], i): LiveGeocoder[] => {
    if (url === null) return [];
    const upstream = createUpstream({
      name: service.name,
      deadlineMs: DEADLINE_MS,
      state: state[service.id],
      cache: service.keeps ? cache : null,
      freshMs: service.keeps ? KEPT_DAYS.fresh * DAY_MS : 0,
      staleMs: service.keeps ? KEPT_DAYS.stale * DAY_MS : 0,
    });
    const isKept = async (question: string): Promise<boolean> => {
      const kept = service.keeps ? ((await cache?.get(question)) ?? null) : null;
      return kept !== null && Date.now() - kept.retrievedAt <= KEPT_DAYS.fresh * DAY_MS;
    };
    return [
      liveGeocoder({
        service,
        upstream,
        url,
        key,
        isKept,
        pace: createPace(cells, FIRST_CELL + i, config.geocoderIntervalMs),
      }),
    ];
  });
}
