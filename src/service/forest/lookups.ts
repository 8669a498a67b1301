import { BroadcastChannel } from 'node:worker_threads';
import type { WrittenPatch } from '../../forest/feature-text.ts';

/** One lookup that was answered, for the measurements. */
export interface ForestLookup {
  /** `plotids-store`, `aef-watershed` or `none`. */
  readonly source: string;
  /** `patch`, or the code of the warning that says why there is none. */
  readonly outcome: string;
  readonly seconds: number;
}

export function forestLookupOf({ geometry, properties }: WrittenPatch, seconds: number): ForestLookup {
  const outcome = geometry === null ? (properties.warnings[0]?.code ?? 'none') : 'patch';
  return { source: properties.source ?? 'none', outcome, seconds };
}

/** Reaches every thread of the process, and no other process. */
const CHANNEL = 'firstmile forest lookups';

/** Reports to the process the lookups that a thread of its own has answered, such as those of a task. */
export function openLookupReporter(): (lookup: ForestLookup) => void {
  const port = new BroadcastChannel(CHANNEL);
  port.unref();
  return (lookup) => port.postMessage(lookup);
}

/** Hears of the lookups that other threads report, until the returned function is called. */
export function hearLookups(listener: (lookup: ForestLookup) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.unref();
  channel.addEventListener('message', (message) => listener((message as { readonly data: ForestLookup }).data));
  return () => channel.close();
}
