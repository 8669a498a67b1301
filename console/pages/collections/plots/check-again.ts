import { goTo } from '../../../state/address.ts';
import { orderOf, processBatch } from '../batch/batch-order.ts';
import { keepWarnings } from '../batch/batch-warnings.tsx';
import type { Collection } from '../collection.ts';

/** Rows of a collection as a file of their own. */
interface RowsAgain {
  readonly file: File;
  readonly name: string;
  /** How its columns are read; what is not here is found out. */
  readonly mapping: Readonly<Record<string, string | null>>;
}

/**
 * Processes rows of a collection again, as a collection of their own that begins with the same options and is shown. The collection
 * they come from stays as it is, and no second report about a part of it is sent by email.
 */
export async function checkAgain(collection: Collection, { file, name, mapping }: RowsAgain): Promise<void> {
  const order = orderOf(collection);
  const reading = { mapping, sheet: null, commodity: order.cropType };
  const work = await processBatch(
    { file, name: name.slice(0, 200), description: '', reading },
    { ...order, report: false },
    new AbortController().signal,
  );
  keepWarnings(work);
  goTo('collections', { id: work.collection_id });
}
