import type { Collection, CollectionReader } from '../../collections/collection.ts';
import type { Properties } from '../../collections/fetch/view.ts';
import { createGate, type Gate } from '../../readers/io/concurrency.ts';
import { findCompleted, type FindCollectionsDeps } from './fetch-collections.ts';

/** Plots one answer about supply sheds looks at. */
const MAX_SHED_PLOTS = 1_000_000;
/** Answers about supply sheds a process works out at the same time: they use its processor, not its network. */
const SHEDS_AT_ONCE = 2;
/** Collections that are looked through for plots. */
const MAX_LISTED = 1_000;
const LIST_PAGE = 100;

/** Lets `SHEDS_AT_ONCE` answers be worked out; the others wait, unless their client leaves. */
export type ShedGate = Gate;

export function createShedGate(): ShedGate {
  return createGate(SHEDS_AT_ONCE);
}

/** The collections whose plots are looked for in supply sheds. */
interface ShedPlots {
  readonly collections: readonly Collection[];
  /** Says in the answer which they were, and what was left out. */
  readonly description: Properties;
}

/**
 * The collections named, or else all completed ones of the user with plots: the newest first, one of those made of the same
 * file, as many as hold `MAX_SHED_PLOTS` plots together.
 */
export async function findShedPlots(
  deps: FindCollectionsDeps & { readonly collections: CollectionReader },
  userId: string,
  ids: readonly string[] | null,
): Promise<ShedPlots> {
  const named =
    ids === null ? await withPlots(deps.collections, userId) : await findCompleted(deps, userId, ids, false);
  const chosen: Collection[] = [];
  const files = new Set<string>();
  let [plots, sameFile, tooMany] = [0, 0, 0];
  for (const collection of named) {
    const { counts, file } = collection;
    if (ids === null && files.has(file.sha256)) sameFile++;
    else if (plots + (counts?.plots ?? 0) > MAX_SHED_PLOTS) tooMany++;
    else {
      chosen.push(collection);
      files.add(file.sha256);
      plots += counts?.plots ?? 0;
    }
  }
  return {
    collections: chosen,
    description: {
      plot_collections: chosen.map(({ id }) => id),
      plot_collections_of_same_file: sameFile,
      plot_collections_left_out: tooMany,
    },
  };
}

async function withPlots(reader: CollectionReader, userId: string): Promise<readonly Collection[]> {
  const found: Collection[] = [];
  let before: string | undefined;
  for (let listed = 0; listed < MAX_LISTED; listed += LIST_PAGE) {
    const page = await reader.list(userId, { limit: LIST_PAGE, ...(before === undefined ? {} : { before }) });
    found.push(...page.filter(({ status, counts }) => status === 'completed' && (counts?.plots ?? 0) > 0));
    before = page.at(-1)?.id;
    if (page.length < LIST_PAGE) break;
  }
  return found;
}
