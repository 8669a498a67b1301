import { parquetMetadataAsync, parquetSchema } from 'hyparquet';
import type { Dataset } from '../catalogue/dataset.ts';
import { PLAIN_CONTRACT, mirrorPrefixes, versionIn, type ContractExpectation } from '../catalogue/contract.ts';
import { findIndexColumns } from '../embeddings/index/rows.ts';
import { openMosaicLayout } from '../embeddings/mosaic/layout.ts';
import { openTiff } from '../formats/tiff/open-tiff.ts';
import { TiffError } from '../formats/tiff/tiff-image.ts';
import { remoteStore } from '../formats/zarr/zarr-store.ts';
import { ByteSourceError, isGone, isOutOfReach, nothingAt } from '../io/byte-error.ts';
import { OvertureError } from '../overture/overture-types.ts';
import { hostOf, type ByteSource } from '../io/byte-source.ts';
import { assertExpected } from './assert-expected.ts';
import { ContractError } from './contract-error.ts';
import { contractOf, sentinelFile } from './sentinel-file.ts';

/** How a check ended: `unstated` means that the contract names nothing to look at. */
export type ContractState = 'held' | 'broken' | 'unreachable' | 'unstated';

/** What a check found. */
export interface ContractFinding {
  readonly state: ContractState;
  /** Host of the address that answered as it should. */
  readonly mirror: string | null;
  /** What was wrong, with addresses: of every address that did not answer as it should. */
  readonly fault: string | null;
  readonly remedy: string | null;
  /** A newer version that its listing names. */
  readonly newer: string | null;
}

/** How a check reads. */
export interface ContractReader {
  /** The bytes at one address, tried once or twice and never from a cache. */
  open(url: string): ByteSource;
  /** The text of a page of at most a few MB. */
  readText(url: string, signal: AbortSignal): Promise<string>;
}

/** What a dataset is looked at by, at one of its addresses. @throws whatever is wrong */
type Look = (dataset: Dataset, at: (address: string) => ByteSource, signal: AbortSignal) => Promise<void>;

/** Something outside that is fetched when it is needed and is in no catalogue, and how it is looked at. */
export interface FetchedThing {
  readonly id: string;
  readonly licence: string;
  /** What its record belongs to: another address makes it another contract. */
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Its addresses, in the order in which they are tried. */
  readonly doors: readonly string[];
  /** What an operator does where it is gone or another one. */
  readonly remedy: string;
  /** Makes small requests at one of its addresses. @throws whatever is wrong */
  look(door: string, reader: ContractReader, signal: AbortSignal): Promise<LookedAt>;
}

/** What held although something was wrong, or that there is nothing that could be looked at, and what to do then. */
type LookedAt = { readonly fault: string | null } | { readonly unstated: string };

const REMEDIES = {
  moved: 'look up its new address and name it in CATALOGUE',
  changed: 'look up what changed; name a copy of the version that is expected in CATALOGUE',
  unreachable: 'look at the network of this machine, or wait',
  unstated: 'state contract.sentinel in its entry',
} as const;

/** Compares a thing with what is expected of it, at each of its addresses until one holds. Rejects only when `signal` aborts. */
export async function checkFetched(
  { doors, look, remedy }: Pick<FetchedThing, 'doors' | 'look' | 'remedy'>,
  reader: ContractReader,
  signal: AbortSignal,
): Promise<ContractFinding> {
  const faults: string[] = [];
  let state: ContractState = 'unreachable';
  for (const door of doors) {
    try {
      const found = await look(door, reader, signal);
      if ('unstated' in found) return { ...NO_FINDING, state: 'unstated', remedy: found.unstated };
      if (found.fault !== null) faults.push(found.fault);
      return {
        ...NO_FINDING,
        state: 'held',
        mirror: hostOf(door),
        fault: faults.length === 0 ? null : faults.join('; '),
      };
    } catch (error) {
      signal.throwIfAborted();
      faults.push(`${hostOf(door)}: ${wordsOf(error)}`);
      if (!isOutOfReach(causeOf(error))) state = 'broken';
    }
  }
  return { ...NO_FINDING, state, fault: faults.join('; '), remedy: state === 'broken' ? remedy : REMEDIES.unreachable };
}

/** What fetching a thing ended with, as a check of it: null is that it was what it should be. */
export function fetchedFinding({ url, remedy }: Pick<FetchedThing, 'url' | 'remedy'>, error: unknown): ContractFinding {
  const host = hostOf(url);
  if (error === null) return { ...NO_FINDING, state: 'held', mirror: host };
  const fault = `${host}: ${wordsOf(error)}`;
  return isOutOfReach(causeOf(error))
    ? { ...NO_FINDING, state: 'unreachable', fault, remedy: REMEDIES.unreachable }
    : { ...NO_FINDING, state: 'broken', fault, remedy };
}

const NO_FINDING = { mirror: null, fault: null, remedy: null, newer: null } as const;

/** Compares a dataset with its contract, at each of its addresses until one holds. Rejects only when `signal` aborts. */
export async function checkContract(
  dataset: Dataset,
  reader: ContractReader,
  signal: AbortSignal,
): Promise<ContractFinding> {
  const { mirrors, newest } = contractOf(dataset) ?? PLAIN_CONTRACT;
  const url = dataset.url ?? '';
  if (dataset.kind === 'cog' && dataset.role !== 'embeddings' && sentinelFile(dataset) === null)
    return { ...NO_FINDING, state: 'unstated', remedy: REMEDIES.unstated };
  const faults: string[] = [];
  let remedy: string | null = null;
  let state: ContractState = 'unreachable';
  for (const door of [url, ...mirrors]) {
    const [own, other] = mirrorPrefixes(url, door) ?? ['', ''];
    try {
      await lookOf(dataset)(dataset, (address) => reader.open(address.replace(own, other)), signal);
      const newer = await newerVersion(url, newest, reader, signal);
      const fault = faults.length === 0 ? null : faults.join('; ');
      return { state: 'held', mirror: hostOf(door), fault, remedy: null, newer };
    } catch (error) {
      signal.throwIfAborted();
      faults.push(`${hostOf(door)}: ${wordsOf(error)}`);
      if (isOutOfReach(causeOf(error))) continue;
      state = 'broken';
      remedy = isMoved(error) ? REMEDIES.moved : REMEDIES.changed;
    }
  }
  const newer = state === 'broken' ? await newerVersion(url, newest, reader, signal) : null;
  if (newer !== null) remedy = `version ${newer} is listed: ${REMEDIES.moved}`;
  return { state, mirror: null, fault: faults.join('; '), remedy: remedy ?? REMEDIES.unreachable, newer };
}

function lookOf({ kind, role }: Dataset): Look {
  if (kind === 'cog') return lookAtRaster;
  if (kind === 'cog-index') return lookAtIndex;
  if (kind === 'zarr') return role === 'embeddings' ? lookAtMosaic : lookAtStore;
  if (kind === 'geoparquet') return lookAtTable;
  return lookAtFile;
}

const lookAtRaster: Look = async (dataset, at, signal) => {
  const { expect } = contractOf(dataset) ?? PLAIN_CONTRACT;
  const file = dataset.role === 'embeddings' ? { address: dataset.url ?? '', box: null } : sentinelFile(dataset);
  if (file !== null) assertExpected(await openTiff(at(file.address), signal), expect, file);
};

/** The index by its columns, and one of the files below its base by its header. */
const lookAtIndex: Look = async (dataset, at, signal) => {
  const { sentinel, expect } = contractOf(dataset) ?? PLAIN_CONTRACT;
  const columns = await columnsOf(at(dataset.url ?? ''), signal);
  const found = findIndexColumns(columns);
  if ('missing' in found) throw new ContractError(found.missing);
  assertColumns(columns, expect);
  const base = dataset.options['baseUrl'];
  if (typeof sentinel !== 'string' || typeof base !== 'string') return;
  assertExpected(await openTiff(at(new URL(sentinel, base).href), signal), expect, { box: null });
};

const lookAtMosaic: Look = async ({ url = '' }, at, signal) => {
  if ((await openMosaicLayout(remoteStore(url, { open: at }), signal)) === null) throw nothingAt(url);
};

/** A store of labels has its description in `labels`. */
const lookAtStore: Look = async ({ url = '' }, at, signal) => {
  const source = remoteStore(url, { open: at })('zarr.json');
  if ((await source.stat({ signal })) === null) throw nothingAt(url);
};

const lookAtTable: Look = async (dataset, at, signal) => {
  assertColumns(await columnsOf(at(dataset.url ?? ''), signal), (contractOf(dataset) ?? PLAIN_CONTRACT).expect);
};

const lookAtFile: Look = async ({ url = '', kind }, at, signal) => {
  const bytes = await at(url).fetch(0, 8, { signal });
  if (bytes === null) throw nothingAt(url);
  const text = new TextDecoder('latin1').decode(bytes);
  if (kind === 'flatgeobuf' && !text.startsWith('fgb'))
    throw new ContractError(`wanted a FlatGeobuf file, got one that begins with ${JSON.stringify(text)}`);
};

async function columnsOf(source: ByteSource, signal: AbortSignal): Promise<readonly string[]> {
  const info = await source.stat({ signal });
  if (info === null) throw nothingAt(source.id);
  const file = {
    byteLength: info.size,
    async slice(start: number, end = info.size) {
      const bytes = await source.fetch(start, end - start, { signal });
      if (bytes === null) throw nothingAt(source.id);
      return bytes.slice().buffer as ArrayBuffer;
    },
  };
  const metadata = await parquetMetadataAsync(file).catch((error: unknown) => {
    if (error instanceof ByteSourceError) throw error;
    throw new ContractError(`wanted a Parquet file, got another one (${(error as Error).message})`);
  });
  return parquetSchema(metadata).children.map(({ element }) => element.name);
}

function assertColumns(found: readonly string[], { columns = [] }: ContractExpectation): void {
  const absent = columns.filter((name) => !found.includes(name));
  if (absent.length > 0)
    throw new ContractError(`wanted the columns ${absent.join(', ')}, got ${found.join(', ') || 'none'}`);
}

/** The greatest version of a listing when it is above that of the address in use. A listing that cannot be read names none. */
async function newerVersion(
  url: string,
  newest: (typeof PLAIN_CONTRACT)['newest'],
  { readText }: ContractReader,
  signal: AbortSignal,
): Promise<string | null> {
  if (typeof newest === 'string') return null;
  const text = await readText(newest.listing, signal).catch(() => '');
  signal.throwIfAborted();
  const listed = versionIn(text, newest.pattern);
  const own = versionIn(url, newest.pattern);
  return listed !== null && own !== null && listed > own ? String(listed) : null;
}

function isMoved(error: unknown): boolean {
  return error instanceof TiffError ? error.kind === 'missing' : isGone(error);
}

/** The release place of Overture wraps what a read ended with. */
function causeOf(error: unknown): unknown {
  return error instanceof OvertureError && error.cause !== undefined ? causeOf(error.cause) : error;
}

function wordsOf(error: unknown): string {
  if (isMoved(error)) return 'there is nothing at its address';
  if (error instanceof OvertureError && error.cause instanceof ByteSourceError) return wordsOf(error.cause);
  const { message } = error as Error;
  // A read names the whole address first, which is long.
  return message.replace(/^https?:\S+: /, '');
}
