import type { Dataset } from '../catalogue/dataset.ts';
import type { ContractExpectation } from '../catalogue/contract.ts';
import { createShared } from '../io/share.ts';
import { checkContract, checkFetched, type ContractReader, type FetchedThing } from './check-contract.ts';
import { ContractError } from './contract-error.ts';
import type { ContractRecord, ContractRecords } from './contract-records.ts';
import { contractOf } from './sentinel-file.ts';

/** The contracts of a catalogue, checked as its datasets are used. Datasets without one are always in order. */
export interface Contracts {
  /**
   * Resolves unless a dataset is known not to be what its contract says. The first use waits for a check; later ones
   * have what is known, which is checked again in the background once a day. Rejects with a `ContractError`. A dataset
   * that could not be reached is let through: whoever reads it finds out.
   */
  require(id: string, signal: AbortSignal): Promise<void>;
  /** Whether a file that is not there is ground without data: the sentinel of the dataset was there just now. */
  isMissingBelieved(id: string, signal: AbortSignal): Promise<boolean>;
  /** What the files of a dataset look like. */
  expectation(id: string): ContractExpectation;
  /** Checks a dataset, or what is fetched when it is needed, now, whatever is known of it. */
  check(dataset: Dataset | FetchedThing, signal: AbortSignal): Promise<ContractRecord>;
}

export interface ContractsDeps extends ContractReader {
  readonly records: ContractRecords;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when a contract stops to hold, or holds again. */
  readonly onChange?: (id: string, record: ContractRecord) => void;
}

/** How long what a check found is believed, in milliseconds; then it is checked again in the background. */
const FRESH_MS = { held: 86_400_000, unstated: 86_400_000, broken: 600_000, unreachable: 60_000 } as const;
/** How long a sentinel that was there vouches for a file that is not. */
const VOUCHED_MS = 600_000;
/** How long the first use of a dataset waits for its check: a read that succeeds does not have to wait for a slow mirror. */
const FIRST_CHECK_MS = 3_000;
/** Milliseconds that one check may take. */
const CHECK_MS = 20_000;

/** Opens the contracts of some datasets; nothing is checked before one of them is used. */
export function openContracts(datasets: readonly Dataset[], deps: ContractsDeps): Contracts {
  const outside = new Map(
    datasets.filter((dataset) => contractOf(dataset) !== null).map((dataset) => [dataset.id, dataset]),
  );
  const { records, now, onChange = () => {} } = deps;
  const shared = createShared<ContractRecord>();

  function check(dataset: Dataset | FetchedThing, signal: AbortSignal): Promise<ContractRecord> {
    return shared(dataset.id, signal, async (inner) => {
      const before = await records.read(dataset);
      const limited = AbortSignal.any([inner, AbortSignal.timeout(CHECK_MS)]);
      const looked = 'look' in dataset ? checkFetched(dataset, deps, limited) : checkContract(dataset, deps, limited);
      const finding = await looked.catch((error: unknown) => {
        inner.throwIfAborted();
        if (!limited.aborted) throw error;
        return TOO_SLOW;
      });
      const record = await records.keep(dataset, finding, now());
      if ((before?.state === 'broken') !== (record.state === 'broken')) onChange(dataset.id, record);
      return record;
    });
  }

  /** A check that goes on when nobody waits for it. */
  function checkMeanwhile(dataset: Dataset): Promise<ContractRecord | null> {
    return check(dataset, AbortSignal.timeout(2 * CHECK_MS)).catch(() => null);
  }

  /** What is known. The first check is waited for, for a while; what is old is checked while the caller goes on. */
  async function known(dataset: Dataset, signal: AbortSignal): Promise<ContractRecord | null> {
    const record = await records.read(dataset);
    if (record !== null) {
      if (now() - record.checkedAt >= FRESH_MS[record.state]) void checkMeanwhile(dataset);
      return record;
    }
    const waited = AbortSignal.any([signal, AbortSignal.timeout(FIRST_CHECK_MS)]);
    const { promise: over, resolve } = Promise.withResolvers<null>();
    const leave = (): void => resolve(null);
    waited.addEventListener('abort', leave, { once: true });
    const found = await Promise.race([checkMeanwhile(dataset), over]);
    waited.removeEventListener('abort', leave);
    signal.throwIfAborted();
    return found;
  }

  return {
    async require(id, signal) {
      const dataset = outside.get(id);
      // Of an entry that states nothing, reading it is all there is to check.
      if (dataset?.contract === undefined) return;
      const record = await known(dataset, signal);
      if (record?.state === 'broken')
        throw new ContractError(`${id}: it is not as its contract says: ${record.fault ?? 'it has changed'}`);
    },
    async isMissingBelieved(id, signal) {
      const dataset = outside.get(id);
      if (dataset === undefined) return false;
      const record = await records.read(dataset);
      const isFresh = record !== null && record.state === 'held' && now() - record.checkedAt < VOUCHED_MS;
      return isFresh || (await check(dataset, signal)).state === 'held';
    },
    expectation: (id) => outside.get(id)?.contract?.expect ?? {},
    check,
  };
}

const TOO_SLOW = {
  state: 'unreachable',
  mirror: null,
  fault: 'it did not answer in time',
  remedy: 'look at the network of this machine, or wait',
  newer: null,
} as const;
