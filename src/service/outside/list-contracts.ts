import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { contractOf } from '../../readers/contracts/sentinel-file.ts';
import type { FetchedThing } from '../../readers/contracts/check-contract.ts';
import type { ContractRecord } from '../../readers/contracts/contract-records.ts';
import { isPublicAddress } from './public-hosts.ts';
import { contractRecords, networkOf, openOutside } from './open-outside.ts';

/** What is known of the contract of a dataset. Times are ISO 8601. */
interface ContractInfo {
  /** `unchecked`: it was not used yet; `unstated`: its entry names nothing to look at. */
  readonly state: 'held' | 'broken' | 'unreachable' | 'unstated' | 'unchecked';
  readonly checked_at: string | null;
  readonly held_at: string | null;
  readonly failing_since: string | null;
  /** Host of the address that answered. */
  readonly mirror: string | null;
  readonly fault: string | null;
  readonly remedy: string | null;
  /** A newer version that a listing names. */
  readonly newer: string | null;
}

/** A dataset at an address, and what is known of its contract. */
export interface ListedContract {
  readonly dataset: string;
  readonly licence: string;
  readonly info: ContractInfo;
  /** Of what is fetched when it is needed, which is in no catalogue: ids of datasets made of it begin with this one and a hyphen. */
  readonly isFetched?: true;
}

const UNCHECKED: ContractInfo = {
  state: 'unchecked',
  checked_at: null,
  held_at: null,
  failing_since: null,
  mirror: null,
  fault: null,
  remedy: null,
  newer: null,
};

/** What the checks of this data folder found, for everybody to see; null for datasets that have no contract. */
export function contractInfos(config: Pick<Config, 'dataDir'>): (dataset: Dataset) => Promise<ContractInfo | null> {
  const records = contractRecords(config);
  return async (dataset) => {
    if (contractOf(dataset) === null) return null;
    const record = await records.read(dataset);
    if (record === null) return UNCHECKED;
    return shownInfo(dataset.url ?? '', record);
  };
}

/** What is known of what is fetched when it is needed. */
export async function listFetched(
  things: readonly FetchedThing[],
  config: Pick<Config, 'dataDir'>,
): Promise<readonly ListedContract[]> {
  const records = contractRecords(config);
  return Promise.all(
    things.map(async (thing): Promise<ListedContract> => {
      const record = await records.read(thing);
      const info = record === null ? UNCHECKED : shownInfo(thing.url, record);
      return { dataset: thing.id, licence: thing.licence, info, isFetched: true };
    }),
  );
}

function shownInfo(url: string, record: ContractRecord): ContractInfo {
  return isPublicAddress(url) ? infoOf(record) : withoutPlaces(infoOf(record));
}

/** The contracts of a catalogue, as far as they are known. */
export async function listContracts(
  datasets: readonly Dataset[],
  infoOf: (dataset: Dataset) => Promise<ContractInfo | null>,
): Promise<readonly ListedContract[]> {
  const infos = await Promise.all(datasets.map(infoOf));
  return datasets.flatMap(({ id, licence }, i) => {
    const info = infos[i];
    return info === null || info === undefined ? [] : [{ dataset: id, licence, info }];
  });
}

/** Checks every dataset at an address, and what is fetched when it is needed, now, some at the same time. Without network nothing but hosts of the operator is tried. */
export async function checkContracts(
  datasets: readonly Dataset[],
  things: readonly FetchedThing[],
  config: Pick<Config, 'dataDir'>,
  signal: AbortSignal,
): Promise<readonly ListedContract[]> {
  const outside = datasets.filter((dataset) => contractOf(dataset) !== null);
  if (outside.length + things.length === 0) return [];
  const network = networkOf(config.dataDir);
  // How it is now is wanted here, not how it was a minute ago.
  await network.probe();
  const { contracts } = openOutside(outside, config, { perHost: 4, network });
  return Promise.all(
    [...outside, ...things].map(async (dataset) => {
      const record = await contracts.check(dataset, signal);
      return { dataset: dataset.id, licence: dataset.licence, info: infoOf(record) };
    }),
  );
}

/** Names of an operator's own hosts are for the operator, who has the doctor. */
function withoutPlaces(info: ContractInfo): ContractInfo {
  return { ...info, mirror: null, fault: info.fault === null ? null : 'see firstmile data doctor' };
}

function infoOf({ state, checkedAt, heldAt, failingSince, ...words }: ContractRecord): ContractInfo {
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  return {
    state,
    checked_at: time(checkedAt),
    held_at: time(heldAt),
    failing_since: time(failingSince),
    ...words,
  };
}
