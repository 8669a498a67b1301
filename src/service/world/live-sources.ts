import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { createAnswerCache, type AnswerCache } from '../../readers/live/answer-cache.ts';
import { GOOGLE_PLACES_ID, googlePlaces } from '../../readers/live/google-places.ts';
import { OVERPASS_ID, overpassQuietMs, overpassSources } from '../../readers/live/overpass/overpass-source.ts';
import {
  createUpstream,
  createUpstreamState,
  type Upstream,
  type UpstreamOptions,
  type UpstreamState,
} from '../../readers/live/upstream.ts';
import type { LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import type { ProposeColumns } from '../../locations/columns/column-question.ts';
import type { ProseReader } from '../../readers/language-model/read-prose.ts';
import {
  gleif,
  openCorporates,
  openSupplyHub,
  type RemoteRegistry,
} from '../../readers/producers/remote-registries.ts';
import { GEOCODER_IDS, GEOCODER_PACE_ID, openGeocoders, type GeocoderConfig } from './location-geocoders.ts';
import { MATCH_RULES } from '../datasets/find-producer.ts';
import { openLanguageModel } from './language-model.ts';
import type { SourceLayer } from './source-layers.ts';
import { DAY_MS } from '../../durations.ts';
import { LANGUAGE_MODEL_ID } from '../../readers/language-model/comment-prompt.ts';

/** What the threads of a process share: turns and breakers of each service. */
export type LiveState = Readonly<Record<string, UpstreamState>>;

export interface LiveSources {
  /** Map services, best first. */
  readonly layers: readonly SourceLayer[];
  /** Registries of producers. */
  readonly registries: readonly RemoteRegistry[];
  /** Words the comment on a facility; absent when no language model is set up. */
  readonly comment?: NonNullable<FacilitySources['comment']>;
  /** Finds places in prose; absent when no language model is set up. */
  readonly readProse?: ProseReader;
  /** Proposes fields for columns; absent when no language model is set up. */
  readonly proposeColumns?: ProposeColumns;
  /** Finders of places by their address. */
  readonly geocoders: readonly LiveGeocoder[];
  /** What another thread needs to open the same. */
  readonly share: { readonly config: LiveConfig; readonly state: LiveState };
}

export type LiveConfig = GeocoderConfig &
  Pick<
    Config,
    | 'dataDir'
    | 'checkTimeoutMs'
    | 'liveCacheMb'
    | 'googlePlacesKey'
    | 'googlePlacesUrl'
    | 'overpassUrl'
    | 'overpassConcurrency'
    | 'openSupplyHubToken'
    | 'openSupplyHubUrl'
    | 'gleifUrl'
    | 'openCorporatesToken'
    | 'openCorporatesUrl'
    | 'languageModel'
    | 'languageModelKey'
    | 'languageModelUrl'
    | 'languageModelConcurrency'
  >;

/** Days a kept answer is given without a new query, and days it stands in when the service fails. */
export const KEPT_DAYS = {
  overpass: { fresh: 7, stale: 90 },
  registries: { fresh: 1, stale: 30 },
  languageModel: { fresh: 30 },
  parcels: { fresh: 1, stale: 30 },
} as const;

/** Shares of a check's deadline. Of two services for one question both have their time. */
const DEADLINE_SHARES = {
  [GOOGLE_PLACES_ID]: 0.4,
  [OVERPASS_ID]: 0.55,
  registries: 0.9,
  comments: 0.9,
} as const;

/** Requests to one service at the same time, over all threads of a process. Overpass has a setting of its own. */
const LIVE_CONCURRENCY = 8;

/** Makes the state of every service there can be; the threads are given the same. */
export function createLiveState(config: Pick<Config, 'overpassConcurrency' | 'languageModelConcurrency'>): LiveState {
  const places: Readonly<Record<string, number>> = {
    [OVERPASS_ID]: config.overpassConcurrency,
    [LANGUAGE_MODEL_ID]: config.languageModelConcurrency,
  };
  return Object.fromEntries(SERVICES.map((id) => [id, createUpstreamState(places[id] ?? LIVE_CONCURRENCY)]));
}

const SERVICES = [
  GOOGLE_PLACES_ID,
  OVERPASS_ID,
  'open-supply-hub',
  'gleif',
  'opencorporates',
  LANGUAGE_MODEL_ID,
  ...GEOCODER_IDS,
  GEOCODER_PACE_ID,
] as const;

/** Opens the services that are set up; none of them is queried yet. */
export function openLive(config: LiveConfig, state: LiveState): LiveSources {
  const cache = answerCache(config);
  return {
    layers: liveMapLayers(config, state, cache),
    registries: liveRegistries(config, state, cache),
    geocoders: openGeocoders(config, state, cache),
    ...(config.languageModel === null
      ? {}
      : openLanguageModel(config.languageModel, config, {
          state: state[LANGUAGE_MODEL_ID],
          cache,
          commentMs: Math.round(config.checkTimeoutMs * DEADLINE_SHARES.comments),
          freshMs: KEPT_DAYS.languageModel.fresh * DAY_MS,
        })),
    share: { config, state },
  };
}

/** The cache of answers, opened when it is first needed, or none where its room is 0. */
export function answerCache({ dataDir, liveCacheMb }: Pick<LiveConfig, 'dataDir' | 'liveCacheMb'>): AnswerCache | null {
  if (liveCacheMb === 0) return null;
  let opening: Promise<AnswerCache | null> | null = null;
  const open = (): Promise<AnswerCache | null> =>
    (opening ??= openDiskCache(join(dataDir, 'answers'), { maxBytes: liveCacheMb * 1e6 }).then(
      createAnswerCache,
      // A cache that cannot be opened is a cache that misses.
      () => null,
    ));
  return {
    get: async (key) => (await open())?.get(key) ?? null,
    put: async (key, answer) => (await open())?.put(key, answer),
  };
}

/** What every service of a process is opened with. */
function upstreamOf(
  id: string,
  name: string,
  share: number,
  config: LiveConfig,
  state: LiveState,
  over: Partial<UpstreamOptions> = {},
): Upstream {
  return createUpstream({
    name,
    deadlineMs: Math.round(config.checkTimeoutMs * share),
    state: state[id],
    cache: null,
    freshMs: 0,
    staleMs: 0,
    ...over,
  });
}

/** The map services, best first. */
function liveMapLayers(config: LiveConfig, state: LiveState, cache: AnswerCache | null): readonly SourceLayer[] {
  const layers: SourceLayer[] = [];
  const { googlePlacesKey, googlePlacesUrl, overpassUrl } = config;
  if (googlePlacesKey !== null) {
    const upstream = upstreamOf(GOOGLE_PLACES_ID, 'Google Places', DEADLINE_SHARES[GOOGLE_PLACES_ID], config, state);
    layers.push(googlePlaces({ upstream, key: googlePlacesKey, url: googlePlacesUrl }));
  }
  if (overpassUrl !== null) {
    const share = DEADLINE_SHARES[OVERPASS_ID];
    const upstream = upstreamOf(OVERPASS_ID, 'Overpass', share, config, state, {
      cache,
      freshMs: KEPT_DAYS.overpass.fresh * DAY_MS,
      staleMs: KEPT_DAYS.overpass.stale * DAY_MS,
      maxBytes: 16_777_216,
      quietMs: (signal) => overpassQuietMs('Overpass', overpassUrl, signal),
    });
    const timeoutS = Math.max(1, Math.floor((config.checkTimeoutMs * share) / 1000));
    const { roadM, buildingM, businessM } = THRESHOLDS;
    layers.push(overpassSources({ upstream, url: overpassUrl, timeoutS, radii: { roadM, buildingM, businessM } }));
  }
  return layers;
}

function liveRegistries(config: LiveConfig, state: LiveState, cache: AnswerCache | null): readonly RemoteRegistry[] {
  const { openSupplyHubToken, openSupplyHubUrl, gleifUrl, openCorporatesToken, openCorporatesUrl } = config;
  const kept = {
    cache,
    freshMs: KEPT_DAYS.registries.fresh * DAY_MS,
    staleMs: KEPT_DAYS.registries.stale * DAY_MS,
  };
  const options = (id: (typeof SERVICES)[number], name: string, url: string, token: string | null) => ({
    upstream: upstreamOf(id, name, DEADLINE_SHARES.registries, config, state, kept),
    url,
    token,
    rules: MATCH_RULES,
  });
  return [
    ...(openSupplyHubToken === null
      ? []
      : [openSupplyHub(options('open-supply-hub', 'Open Supply Hub', openSupplyHubUrl, openSupplyHubToken))]),
    ...(gleifUrl === null ? [] : [gleif(options('gleif', 'GLEIF', gleifUrl, null))]),
    ...(openCorporatesToken === null
      ? []
      : [openCorporates(options('opencorporates', 'OpenCorporates', openCorporatesUrl, openCorporatesToken))]),
  ];
}
