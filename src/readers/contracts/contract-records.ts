import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../is-record.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import { replaceFile } from '../io/replace-file.ts';
import type { ContractFinding, ContractState } from './check-contract.ts';

/** What is known of a contract: what the last check found, and when it last held. Times are milliseconds since 1970. */
export interface ContractRecord extends ContractFinding {
  readonly checkedAt: number;
  /** Null: it was never seen to hold. */
  readonly heldAt: number | null;
  /** When the first check ended that did not hold since it last held; null while it holds. */
  readonly failingSince: number | null;
}

/** What a record is of. */
type Recorded = Pick<Dataset, 'id' | 'url' | 'options' | 'contract'>;

/** What checks found, for every process that uses the data folder. */
export interface ContractRecords {
  /** Null: it was never checked, or its entry has changed since. */
  read(dataset: Recorded): Promise<ContractRecord | null>;
  /** Adds what a check found at a time to what was known. A disk that fails loses it without failing the check. */
  keep(dataset: Recorded, finding: ContractFinding, at: number): Promise<ContractRecord>;
}

/** Milliseconds for which a file that was read is believed. */
const BELIEVED_MS = 2_000;

/** Records in a folder, a file for each dataset. @param now milliseconds since 1970. */
export function openContractRecords(folder: string, now: () => number): ContractRecords {
  const known = new Map<string, { readonly record: ContractRecord | null; readonly at: number }>();
  const pathOf = (key: string, { id }: Recorded): string => join(folder, `${id}-${key}.json`);

  async function read(dataset: Recorded): Promise<ContractRecord | null> {
    const key = keyOf(dataset);
    const before = known.get(key);
    if (before !== undefined && now() - before.at < BELIEVED_MS) return before.record;
    const text = await readFile(pathOf(key, dataset), 'utf8').catch(() => null);
    const record = text === null ? (before?.record ?? null) : parseRecord(text);
    known.set(key, { record, at: now() });
    return record;
  }

  return {
    read,
    async keep(dataset, finding, at) {
      const key = keyOf(dataset);
      const before = await read(dataset);
      const isHeld = finding.state === 'held';
      const record: ContractRecord = {
        ...finding,
        checkedAt: at,
        heldAt: isHeld ? at : (before?.heldAt ?? null),
        failingSince: isHeld || finding.state === 'unstated' ? null : (before?.failingSince ?? at),
      };
      known.set(key, { record, at: now() });
      await replaceFile(pathOf(key, dataset), JSON.stringify(record)).catch(() => {});
      return record;
    },
  };
}

/** What makes it another contract: its address and what is expected there. */
function keyOf({ url, options, contract }: Recorded): string {
  return createHash('sha256')
    .update(JSON.stringify([url, options, contract]))
    .digest('hex')
    .slice(0, 12);
}

const STATES: readonly ContractState[] = ['held', 'broken', 'unreachable', 'unstated'];

/** Null for a file that is damaged: the contract is then checked again. */
function parseRecord(text: string): ContractRecord | null {
  try {
    const found: unknown = JSON.parse(text);
    if (!isRecord(found) || !STATES.includes(found['state'] as ContractState)) return null;
    const time = (name: string): number | null => (typeof found[name] === 'number' ? found[name] : null);
    const words = (name: string): string | null => (typeof found[name] === 'string' ? found[name] : null);
    return {
      state: found['state'] as ContractState,
      mirror: words('mirror'),
      fault: words('fault'),
      remedy: words('remedy'),
      newer: words('newer'),
      checkedAt: time('checkedAt') ?? 0,
      heldAt: time('heldAt'),
      failingSince: time('failingSince'),
    };
  } catch {
    return null;
  }
}
