import { whenAsked, type MaybePromise } from './ask.ts';
import type { CheckContext } from './checks/check-context.ts';
import { inOrder, type Findings } from './run-checks.ts';
import type { CommentFacts } from './sources.ts';
import { SUBJECTS } from './unknown.ts';

/** Most characters of a language model's reply that are passed on. */
const MAX_REPLY = 600;

/**
 * The comment that sums a facility up, and says which of the two it is: a language model's words, when one is set up and
 * its reply is usable, or sentences composed from the evidence. It never changes a number.
 */
export function aggregationComment(
  { sources, options, ask }: CheckContext,
  found: Findings,
  facilityName: string | null,
): MaybePromise<string> {
  if (sources.comment === undefined) return composed(found);
  const facts = factsOf(found, facilityName, options.commodity ?? options.commodityText);
  return whenAsked(
    ask('aggregation_comment', (signal) => sources.comment?.(facts, signal) ?? null),
    (asked) => {
      const reply = asked.dataset === null ? null : usableReply(asked.value);
      return reply === null ? composed(found) : `Written by a language model from the indicators: ${reply}`;
    },
  );
}

function composed(found: Findings): string {
  let comment = 'Composed from the indicators:';
  let missing = '';
  for (const { indicator, cause, detail } of inOrder(found)) {
    if (cause === 'not_requested' || indicator === 'producer_confirmation') continue;
    if (cause === 'not_covered' && indicator !== 'commodity_presence')
      missing += `${missing === '' ? '' : ', '}${SUBJECTS[indicator].words}`;
    else comment += ` ${detail}`;
  }
  return missing === '' ? comment : `${comment} Not known for lack of data: ${missing}.`;
}

function factsOf(found: Findings, facilityName: string | null, commodity: string | null): CommentFacts {
  const indicators = inOrder(found).map(({ indicator, status, value, name, distanceM }) => ({
    indicator,
    present: value > 0 ? (1 as const) : (0 as const),
    known: status !== 'unknown',
    ...(name === undefined ? {} : { name }),
    ...(distanceM === undefined ? {} : { distanceM }),
  }));
  return { facilityName, commodity, country: found.country.where?.country?.name ?? null, indicators };
}

/** A reply as one line of plain text of bounded length, or null when it is empty or carries markup or addresses. */
function usableReply(reply: unknown): string | null {
  if (typeof reply !== 'string') return null;
  // eslint-disable-next-line no-control-regex -- control characters are what is removed here
  const line = reply.replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  if (line === '' || /<[a-z!/]|https?:|www\./i.test(line)) return null;
  if (line.length <= MAX_REPLY) return line;
  const end = line.lastIndexOf('. ', MAX_REPLY - 1);
  return end > 0 ? line.slice(0, end + 1) : null;
}
