import type { Config } from '../../config/settings.ts';
import { fetchedFinding, type ContractReader, type FetchedThing } from '../../readers/contracts/check-contract.ts';
import { ContractError } from '../../readers/contracts/contract-error.ts';
import { nothingAt } from '../../readers/io/byte-error.ts';
import { fetchFile } from '../../readers/io/http/fetch-file.ts';
import { MODELS_URL, PUBLISHED_MODELS, type PublishedModel } from '../../readers/models/published-models.ts';
import {
  OVERTURE_LICENCE,
  OVERTURE_MIRROR,
  OVERTURE_TYPES,
  OVERTURE_URL,
} from '../../readers/overture/overture-types.ts';
import { planFile } from '../../readers/overture/read-rows.ts';
import { publishedReleases, readReleaseIndex, type IndexReader } from '../../readers/overture/release-index.ts';
import type { PublicRegister } from '../../readers/producers/public-registers.ts';
import { autoDataConfig, type AutoDataConfig } from '../auto-data/auto-data-config.ts';
import { AUTO_ID } from '../auto-data/auto-packs.ts';
import { placesOf } from '../auto-data/fetch-cell.ts';
import { findRegisterFile, publicRegisters, type RegisterPlaces } from '../datasets/get-register.ts';
import { areModelsFetched, type ModelFetchConfig } from '../models/fetch-models.ts';
import { publicPlace } from '../models/installed-models.ts';
import { contractRecords, networkOf } from './open-outside.ts';
import { isPublicAddress } from './public-hosts.ts';

type FetchedConfig = ModelFetchConfig & RegisterPlaces & Partial<AutoDataConfig>;

const RETRIES = { attempts: 2, deadlineMs: 6_000 } as const;

/** What the service or a command fetches and no catalogue lists, as far as the settings allow it. */
export function fetchedThings(config: FetchedConfig, auto = autoDataConfig(config)): readonly FetchedThing[] {
  return [
    ...(auto === null ? [] : [mapData(auto)]),
    ...(areModelsFetched(config) ? PUBLISHED_MODELS.map((model) => modelArchives(model, config)) : []),
    ...publicRegisters(config)
      .filter(({ page }) => config.publicData || !isPublicAddress(page))
      .map((register) => registerFile(register, config)),
  ];
}

/** Takes what fetching something ended with for a check of it: null is that it was what it should be. */
export function recordFetches(
  config: FetchedConfig,
  auto: AutoDataConfig | null,
): (id: string, error: unknown) => void {
  const things = fetchedThings(config, auto);
  const records = contractRecords(config);
  return (id, error) => {
    const thing = things.find((one) => one.id === id);
    // A disk that is full, or a machine without network, says nothing about what is out there.
    const kind = (error as { readonly kind?: unknown } | null)?.kind;
    if (thing === undefined || (error !== null && (kind === undefined || kind === 'offline'))) return;
    void records.keep(thing, fetchedFinding(thing, error), Date.now()).catch(() => {});
  };
}

/** The newest release of Overture: what names it, the index of its files, and the columns of one file of each type. */
function mapData(config: AutoDataConfig): FetchedThing {
  const { data, catalogues } = placesOf(config);
  return {
    id: AUTO_ID,
    licence: OVERTURE_LICENCE,
    url: data,
    options: { catalogues },
    doors: data === OVERTURE_URL ? [data, OVERTURE_MIRROR] : [data],
    remedy: 'look up what changed; name a copy of a release that can be read in OVERTURE_URL, or set AUTO_DATA=off',
    async look(door, { open }, signal) {
      const passed: { readonly place: string; readonly error: unknown }[] = [];
      const reader: IndexReader = {
        fetch: async (url, maxBytes, inner) => {
          const fetch = (limited: AbortSignal) => fetchFile(url, { tail: null, maxBytes, retries: RETRIES }, limited);
          const isPublic = isPublicAddress(url);
          return (await (isPublic ? networkOf(config.dataDir).run(url, inner, fetch) : fetch(inner)))?.bytes ?? null;
        },
        // Without the index the boxes stand in hundreds of files: which one is looked at does not matter here.
        boundsOf: () => Promise.resolve([-180, -90, 180, 90]),
        onFault: (place, error) => void passed.push({ place, error }),
      };
      const places = { data: door, catalogues };
      const { newest, from } = await publishedReleases(places, reader, null, signal);
      if (from === 'known') throw passed.at(-1)?.error ?? new ContractError('wanted a release, got a listing of none');
      const { files } = await readReleaseIndex(newest, places, reader, signal);
      await Promise.all(
        OVERTURE_TYPES.map(async (type) => {
          const url = files.find(({ folder }) => folder === type.folder)?.url ?? door;
          if ((await planFile(open(url), type, [0, 0, 0, 0], signal)) === null) throw nothingAt(url);
        }),
      );
      return { fault: passed.length === 0 ? null : passed.map(({ error }) => (error as Error).message).join('; ') };
    },
  };
}

/** The archives of a generation, each by its first bytes. */
function modelArchives(model: PublishedModel, { modelsUrl }: FetchedConfig): FetchedThing {
  return {
    id: model.id,
    licence: model.licence,
    url: model.url.replace(MODELS_URL, modelsUrl),
    options: {},
    doors: [modelsUrl],
    remedy: 'look up where the archives are now; name a mirror in MODELS_URL, or set MODELS=manual',
    async look(door, reader, signal) {
      for (const head of model.heads) {
        const url = publicPlace(model, head).replace(MODELS_URL, door);
        const begin = await beginningOf(url, reader, signal);
        if (!begin.startsWith('PK\u0003\u0004'))
          throw new ContractError(
            `wanted a zip archive of ${head.commodity}, got one that begins with ${JSON.stringify(begin)}`,
          );
      }
      return { fault: null };
    },
  };
}

/** The file that the page of a register names, by its first bytes. */
function registerFile(register: PublicRegister, config: Pick<Config, 'dataDir'>): FetchedThing {
  const { id, licence, page, known, isFetched } = register;
  return {
    id,
    licence,
    url: page,
    options: {},
    doors: [page],
    remedy: `read ${page}, and give the file to firstmile data get ${id} --from`,
    async look(_door, reader, signal) {
      const place = await findRegisterFile(config, register, signal).catch((error: unknown) => {
        if (error instanceof ContractError && known === null && !isFetched) return null;
        throw error;
      });
      if (place === null)
        return {
          unstated: `its page names no file, and none was seen; give the file to firstmile data get ${id} --from`,
        };
      const begin = await beginningOf(place, reader, signal);
      const isTable = place.endsWith('.xlsx') ? begin.startsWith('PK') : !begin.trimStart().startsWith('<');
      if (!isTable) throw new ContractError(`wanted a table, got a file that begins with ${JSON.stringify(begin)}`);
      return { fault: null };
    },
  };
}

async function beginningOf(url: string, { open }: ContractReader, signal: AbortSignal): Promise<string> {
  const bytes = await open(url).fetch(0, 8, { signal });
  if (bytes === null) throw nothingAt(url);
  return new TextDecoder('latin1').decode(bytes);
}
