import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { mirrorPrefixes } from '../../readers/catalogue/contract.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openContracts, type Contracts, type ContractsDeps } from '../../readers/contracts/contracts.ts';
import { openContractRecords, type ContractRecords } from '../../readers/contracts/contract-records.ts';
import { contractOf } from '../../readers/contracts/sentinel-file.ts';
import type { ByteSource } from '../../readers/io/byte-source.ts';
import { createHostGates, type Gate } from '../../readers/io/concurrency.ts';
import type { DiskCacheFolder } from '../../readers/io/disk-cache-folder.ts';
import { createDoorHealth } from '../../readers/io/doors.ts';
import { openNetwork, type Network } from '../../readers/io/network.ts';
import { remoteSource } from '../../readers/io/remote.ts';
import type { RetryOptions } from '../../readers/io/retries.ts';
import { readPage } from './read-page.ts';
import { isPublicAddress } from './public-hosts.ts';

/** Everything this thread reads from outside: through the doors of each dataset, under its contract, where there is a network. */
interface Outside {
  /** The bytes at an address, with retries, limits and the mirrors of its dataset around them. */
  remote(url: string, options?: OutsideReadOptions): ByteSource;
  readonly contracts: Contracts;
}

interface OutsideReadOptions {
  /** Default: none. */
  readonly cache?: DiskCacheFolder | null;
  readonly retries?: Omit<RetryOptions, 'counters'>;
}

interface OutsideOptions {
  /** Requests to one host at the same time. */
  readonly perHost: number;
  /** Default: the state of the data folder. */
  readonly network?: Network;
  /** Milliseconds before a door that has not begun to answer is joined by the next; default 2,000. */
  readonly hedgeMs?: number;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
  readonly onChange?: ContractsDeps['onChange'];
}

/** Short enough for the other doors to get their turn within the time of a check. */
const CHECK_RETRIES = { attempts: 2, deadlineMs: 6_000 } as const;

/** Opens what datasets are read through; nothing is requested before the first of them is used. */
export function openOutside(
  datasets: readonly Dataset[],
  { dataDir }: Pick<Config, 'dataDir'>,
  options: OutsideOptions,
): Outside {
  const { perHost, hedgeMs, now = Date.now, onChange } = options;
  const gateOf = createHostGates(perHost);
  const health = createDoorHealth();
  const network = options.network ?? networkOf(dataDir);
  const doors = doorsOf(datasets);
  const read = (url: string, others: readonly string[], { cache = null, retries }: OutsideReadOptions): ByteSource =>
    remoteSource(url, {
      gateOf: gateOf satisfies (source: ByteSource) => Gate,
      cache,
      doors: { others, health, ...(hedgeMs === undefined ? {} : { hedgeMs }) },
      ...(retries === undefined ? {} : { retries }),
      ...(isPublicAddress(url) ? { network } : {}),
    });
  return {
    remote: (url, readOptions = {}) => read(url, doors(url), readOptions),
    contracts: openContracts(datasets, {
      records: contractRecords({ dataDir }, now),
      now,
      open: (url) => read(url, [], { retries: CHECK_RETRIES }),
      readText: (url, signal) =>
        isPublicAddress(url) ? network.run(url, signal, (inner) => readPage(url, inner)) : readPage(url, signal),
      ...(onChange === undefined ? {} : { onChange }),
    }),
  };
}

/** What is known of contracts in a data folder. */
export function contractRecords({ dataDir }: Pick<Config, 'dataDir'>, now: () => number = Date.now): ContractRecords {
  return openContractRecords(outsideFolder(dataDir), now);
}

/** Whether the public internet is reached, as the processes of a data folder know it. */
export function networkOf(dataDir: string): Network {
  return openNetwork({ path: join(outsideFolder(dataDir), 'network.json') });
}

function outsideFolder(dataDir: string): string {
  return join(dataDir, 'outside');
}

/** The other addresses of a file, from the mirrors of the dataset it belongs to. */
function doorsOf(datasets: readonly Dataset[]): (url: string) => readonly string[] {
  const entries = datasets.flatMap((dataset) => {
    const { url = '', options } = dataset;
    const mirrors = contractOf(dataset)?.mirrors ?? [];
    const prefixes = mirrors.map((mirror) => mirrorPrefixes(url, mirror)).filter((pair) => pair !== null);
    const base = options['baseUrl'];
    const bases = [url.split('{')[0], ...(typeof base === 'string' ? [base] : [])];
    return prefixes.length === 0 ? [] : [{ bases, prefixes }];
  });
  return (url) => {
    const found = entries.find(({ bases }) => bases.some((base) => url.startsWith(base)));
    return (found?.prefixes ?? [])
      .filter(([own]) => url.startsWith(own))
      .map(([own, other]) => other + url.slice(own.length));
  };
}
