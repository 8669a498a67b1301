import { Readable } from 'node:stream';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import { commodityName } from '../../facilities/commodity/commodity-names.ts';
import type { Whereabouts } from '../../facilities/sources.ts';
import { findPlace } from '../../locations/geocode/find-place.ts';
import { UNWATCHED, type CrashWatch } from '../../locations/crash-watch.ts';
import { normalizeRows, prepareFile, type LocationRun, type PreparedFile } from '../../locations/normalize-file.ts';
import type { LocationOptions } from '../../locations/options.ts';
import type { GeocodeOutcome, GeocodeQuery, LocationDataset, LocationSources, Place } from '../../locations/sources.ts';
import type { SourceFeature, SourceFile } from '../../locations/source-table.ts';
import { countryCode, countryName } from '../../readers/built-in/country-code.ts';
import { PLACES_ID } from '../../readers/built-in/built-in-datasets.ts';
import { openLocationFile } from '../../readers/formats/tables/open-location-file.ts';
import { proseText } from '../../readers/formats/tables/prose-text.ts';
import type { World } from '../world/world.ts';
import type { LiveGeocoder } from '../../readers/geocoders/live-geocoder.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';
import { firstAnswer, type SourceFailure } from '../../first-answer.ts';

/** A file whose columns are known. Dispose of it when its rows have been read. */
export interface OpenedLocations extends AsyncDisposable {
  readonly file: SourceFile;
  readonly prepared: PreparedFile;
  readonly sources: LocationSources;
  readonly options: LocationOptions;
  readonly watch: CrashWatch;
  /** Reads all of it without looking anything up; the number of rows. Throws where the file is broken or too large. */
  inspect(signal: AbortSignal): Promise<number>;
  /** Whether it has no row, read no further than to the first. */
  isEmpty(signal: AbortSignal): Promise<boolean>;
  normalize(signal: AbortSignal): LocationRun;
}

/** The refusal of a file without rows. */
export function noLocations(): Problem {
  const detail = 'The file holds no locations; wanted one row or feature, or more.';
  return new Problem('malformed_file', detail, { errors: [{ pointer: '/form/file', code: 'no_locations', detail }] });
}

export interface LocationService {
  /**
   * Opens a file by what it holds. Throws `Problem` for one that cannot be read as locations. `watch` hears what is worked on,
   * and passes over what the worker crashes on; without it nothing is.
   */
  open(path: string, options: LocationOptions, watch?: CrashWatch): Promise<OpenedLocations>;
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  countryCode(text: string): string | null;
}

/** Answers of geocoders and spellings of words that one file keeps. */
const MAX_REMEMBERED = 50_000;

/** Joins the domain of locations to the readers of files and to the data. */
export function createLocationService(
  data: Pick<World, 'sources' | 'places' | 'geocoders' | 'readProse' | 'proposeColumns' | 'datasets' | 'citation'>,
  config: Pick<Config, 'maxFeatures'>,
  maxFeatureBytes: number,
): LocationService {
  return {
    countryCode,
    async open(path, options, watch = UNWATCHED) {
      watch.begin('opening the file');
      const found = await openLocationFile(path, {
        maxFeatures: config.maxFeatures,
        maxFeatureBytes,
        refuseOptions: true,
      });
      // A model may find other places in the same prose the next time.
      if (!('tables' in found)) watch.forget();
      const file = 'tables' in found ? found : await readProse(path, found.format, data.readProse);
      try {
        // What a model copied out of prose has headings of ours.
        const propose = 'tables' in found ? data.proposeColumns : undefined;
        const sources = {
          ...createSources(data),
          ...(propose === undefined ? {} : { proposeColumns: propose }),
        };
        const prepared = await prepareFile(file, options, sources, config.maxFeatures, undefined, watch);
        watch.begin(null);
        return {
          file,
          prepared,
          sources,
          options,
          watch,
          inspect: (signal) => prepared.count(signal),
          isEmpty: (signal) => prepared.isEmpty(signal),
          normalize: (signal) => normalizeRows(file, prepared, sources, signal),
          [Symbol.asyncDispose]: () => file.close(),
        };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

/** The places in prose, read once by the language model; refused where none is set up. */
async function readProse(path: string, format: 'text' | 'pdf', read: World['readProse']): Promise<SourceFile> {
  if (read === undefined) throw refuseProse(format);
  const text = await proseText(path, format);
  const { rows, refused } = await read(text, new AbortController().signal);
  const features = rows.map((properties, i): SourceFeature => ({ row: i + 1, properties }));
  return {
    format,
    tables: [{ kind: 'features', name: null, features: () => Readable.from(features) }],
    remarks: [
      `A language model found ${rows.length} places in the text; every value was copied from it word for word.`,
      ...(refused > 0 ? [`${refused} values that do not stand in the text were left out.`] : []),
    ],
    close: () => Promise.resolve(),
  };
}

function refuseProse(format: 'text' | 'pdf'): Problem {
  const detail = `The file is ${format === 'pdf' ? 'a PDF document' : 'running text'}; wanted a table or geodata, such as CSV, XLSX, KML or GeoJSON. Reading documents needs a language model, and none is set up (LANGUAGE_MODEL).`;
  return new Problem('malformed_file', detail, {
    errors: [{ pointer: '/form/file', code: 'language_model_needed', detail }],
  });
}

/** What the rows of one file need again and again. */
export interface SourceMemory {
  readonly countryCode: LocationSources['countryCode'];
  readonly commodity: LocationSources['commodity'];
  readonly geocoded: Map<string, MaybePromise<GeocodeOutcome>>;
}

export function createSourceMemory(): SourceMemory {
  return { countryCode: remembered(countryCode), commodity: remembered(commodityName), geocoded: new Map() };
}

export type SourceData = Pick<World, 'sources' | 'places' | 'datasets' | 'citation' | 'geocoders'>;

/** Sources for one file, or for one part of it, whose datasets are then those of the part. */
export function createSources(data: SourceData, memory: SourceMemory = createSourceMemory()): LocationSources {
  const { geocoders } = data;
  const used = new Map<string, LocationDataset>();
  const cite = (id: string, version: string): void => {
    const cited = data.citation(id, version);
    if (cited !== null) used.set(id, cited);
  };
  const citeGeocoder = (id: string): void => {
    if (!used.has(id)) cite(id, data.datasets.find((dataset) => dataset.id === id)?.version ?? '');
  };
  // All places of a wide surrounding have the same answer.
  let last: { readonly value: Whereabouts | undefined; readonly place: Place | null } = {
    value: undefined,
    place: null,
  };
  const placeFrom = (answer: Awaited<ReturnType<typeof data.sources.whereabouts>>): Place | null => {
    if (answer !== null && !used.has(answer.dataset.id)) cite(answer.dataset.id, answer.dataset.version);
    if (answer?.value !== last.value) last = { value: answer?.value, place: placeOf(answer?.value) };
    return last.place;
  };
  const { geocoded } = memory;
  return {
    countryCode: memory.countryCode,
    countryName,
    commodity: memory.commodity,
    whereabouts(at) {
      const answer = data.sources.whereabouts(at);
      return whenReady(answer, placeFrom);
    },
    geocode(query, signal) {
      const key = JSON.stringify(query);
      const known = geocoded.get(key);
      if (known !== undefined) return known;
      const outcome = geocode(query, data, geocoders, citeGeocoder, signal);
      if (geocoded.size < MAX_REMEMBERED) geocoded.set(key, outcome);
      return outcome;
    },
    datasets: () => [...used.values()],
  };
}

function placeOf(value: Whereabouts | undefined): Place | null {
  if (value === undefined) return null;
  const { country, neighbours, disputed } = value;
  return { country, neighbours: neighbours.map(({ iso2 }) => iso2), ...(disputed && { disputed }) };
}

/** Live services in the order of the settings, the built-in places last; the first answer that is no coarser than a settlement wins. */
function geocode(
  query: GeocodeQuery,
  { places }: Pick<World, 'places'>,
  geocoders: readonly LiveGeocoder[],
  cite: (id: string) => void,
  signal: AbortSignal,
): MaybePromise<GeocodeOutcome> {
  const offline = (): MaybePromise<GeocodeOutcome['answer']> =>
    places.use((open) => findPlace(query, { ...open, countryCode, countryName }));
  const outcome = (answer: GeocodeOutcome['answer']): GeocodeOutcome => {
    if (answer !== null) cite(PLACES_ID);
    return { answer, failures: [] };
  };
  if (geocoders.length === 0) return whenReady(offline(), outcome);
  return queryInTurn(query, geocoders, offline, cite, signal);
}

async function queryInTurn(
  query: GeocodeQuery,
  geocoders: readonly LiveGeocoder[],
  offline: () => MaybePromise<GeocodeOutcome['answer']>,
  cite: (id: string) => void,
  signal: AbortSignal,
): Promise<GeocodeOutcome> {
  const passedOver: SourceFailure<LiveGeocoder>[] = [];
  let coarse: GeocodeOutcome['answer'] = null;
  let coarseFrom = PLACES_ID;
  const search = async (geocoder: LiveGeocoder): Promise<GeocodeOutcome['answer']> => {
    const answer = inStatedCountry(await geocoder.query(query, signal), query);
    if (answer !== null && answer.precision !== 'region' && answer.precision !== 'country') {
      cite(geocoder.id);
      return answer;
    }
    if (coarse === null && answer !== null) [coarse, coarseFrom] = [answer, geocoder.id];
    return null;
  };
  const fine = await firstAnswer(geocoders, search, { failures: passedOver, signal });
  const failures = passedOver.map(({ source: { name }, error }) => ({
    provider: name,
    reason: error instanceof Problem ? error.message : 'it failed',
  }));
  if (fine !== null) return { answer: fine, failures };
  const own = await offline();
  const ownIsFiner = own !== null && (coarse === null || own.precision === 'locality');
  if (own !== null || coarse !== null) cite(ownIsFiner ? PLACES_ID : coarseFrom);
  return { answer: ownIsFiner ? own : coarse, failures };
}

/** Where the stated country and the place that a service found conflict, the country wins. */
function inStatedCountry(answer: GeocodeOutcome['answer'], { country }: GeocodeQuery): GeocodeOutcome['answer'] {
  const isElsewhere = country !== null && answer?.country != null && countryCode(answer.country) !== country;
  return isElsewhere ? null : answer;
}

function remembered<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    // A copy: the text may be a piece of a large one, which would be kept with it.
    const own = `_${text}`.slice(1);
    const value = find(own);
    if (known.size < MAX_REMEMBERED) known.set(own, value);
    return value;
  };
}
