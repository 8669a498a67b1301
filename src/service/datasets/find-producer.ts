import { producerState, producerWorth } from '../../facilities/producer-score.ts';
import type { Answer, DatasetRef, FacilitySources, MaybeAnswer, ProducerMatch } from '../../facilities/sources.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { liveAnswer } from '../../readers/live/live-answer.ts';
import { isBetterMatch, type MatchRules } from '../../readers/producers/best-match.ts';
import type { Registry } from '../../readers/producers/open-registry.ts';
import type { RemoteRegistry } from '../../readers/producers/remote-registries.ts';

/** How matches are weighed against one another, and how far around its records a registry answers. */
export const MATCH_RULES: MatchRules = { worth: producerWorth, nearM: THRESHOLDS.producerSearchM };

type Found = Answer<ProducerMatch | null>;

/**
 * Looks a producer up in every registry that covers its place and gives the match that is worth most. What is installed
 * is queried first; services only when that does not confirm the producer, because their allowances are small. The receipt
 * names the registries that were queried in addition to the one that answered, and those that failed.
 */
export function findProducer(
  locals: readonly Registry[],
  remotes: readonly RemoteRegistry[],
): FacilitySources['producer'] {
  return (name, shape, country, signal): MaybeAnswer<ProducerMatch | null> => {
    const covering = locals.filter((registry) => registry.covers(shape));
    const found = covering.map((registry): Found => ({
      dataset: registry.dataset,
      value: registry.find(name, shape, country),
    }));
    const best = bestOf(found);
    const isSure = best !== null && best.value !== null && producerState(best.value) === 'confirmed';
    if (remotes.length === 0 || isSure)
      return best === null ? null : withReceipt(best, found, covering.map(titleOf), []);
    return queryRemotes(remotes, { name, shape, country }, found, covering.map(titleOf), signal);
  };
}

interface Wanted {
  readonly name: string;
  readonly shape: Shape;
  readonly country: string | null;
}

async function queryRemotes(
  remotes: readonly RemoteRegistry[],
  { name, shape, country }: Wanted,
  found: readonly Found[],
  titles: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const queried = await Promise.allSettled(
    remotes.map(async (remote): Promise<Found> => {
      const answer = await remote.find(name, shape, country, signal);
      return liveAnswer(remote.id, answer, answer.value);
    }),
  );
  const failures = queried.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  const answers = [...found, ...queried.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))];
  const best = bestOf(answers);
  if (best === null) throw failures[0];
  const answered = remotes.filter((_, i) => queried[i].status === 'fulfilled').map(titleOf);
  return withReceipt(best, answers, [...titles, ...answered], failures);
}

/** The answer whose match is worth most, else the first; null when there is none. */
function bestOf(found: readonly Found[]): Found | null {
  let best: Found | null = null;
  for (const each of found) {
    const isFirst = best === null || (best.value === null && each.value !== null);
    if (isFirst || (each.value !== null && best?.value && isBetterMatch(each.value, best.value, MATCH_RULES)))
      best = each;
  }
  return best;
}

/** An answer whose receipt names everything that was queried. `titles` are those of `found`, in their order. */
function withReceipt(
  best: Found,
  found: readonly Found[],
  titles: readonly string[],
  failures: readonly Error[],
): Found {
  const others = titles.filter((_, i) => found[i] !== best);
  const sentences = [
    ...(best.dataset.note === undefined ? [] : [best.dataset.note]),
    ...(others.length === 0 ? [] : [`Also queried: ${others.join(', ')}.`]),
    ...failures.map(({ message }) => `${message}.`),
  ];
  if (sentences.length === 0) return best;
  const dataset: DatasetRef = { ...best.dataset, note: sentences.join(' ') };
  return { dataset, value: best.value };
}

function titleOf(registry: Registry | RemoteRegistry): string {
  return 'meta' in registry ? registry.meta.title : registry.title;
}
