import type { CheckContext } from '../query.ts';
import { type Findings, inOrder } from '../run-checks.ts';
import type { CommentFacts } from '../sources.ts';
import { codeOf, sentence } from './sentences.ts';
import { subjectWord } from './unknown.ts';
import type { Said } from '../../messages/said.ts';
import type { MessagePart } from '../../messages/localise.ts';
import { type FacilityWarning, warn } from './warnings.ts';
import { type Weighed, weighedInWords } from './weigh-evidence.ts';
import { type MaybePromise, whenReady } from '../../maybe-promise.ts';
import type { Indicator } from './evidence.ts';

export interface Comment {
  readonly text: string;
  /** The same as codes, and the entries of the receipt whose sentences it holds. */
  readonly parts: readonly MessagePart[];
  /** Why the words are not those of the language model that is set up; null where they are, or none is. */
  readonly warning: FacilityWarning | null;
}

/** Most characters of a language model's reply that are passed on. */
const MAX_REPLY = 600;

/**
 * The comment that sums a facility up, and says which of the two it is: a language model's words, when one is set up and
 * its reply is usable, or sentences composed from the evidence. It never changes a number.
 */
export function aggregationComment(
  { sources, options, query }: CheckContext,
  found: Findings,
  weighed: Weighed,
  facilityName: string | null,
): MaybePromise<Comment> {
  const fallback = (warning: FacilityWarning | null): Comment => ({ ...composed(found, weighed), warning });
  if (sources.comment === undefined) return fallback(null);
  const facts = factsOf(found, facilityName, options.commodity ?? options.commodityText);
  return whenReady(
    query('aggregation_comment', (signal) => sources.comment?.(facts, signal) ?? null),
    (result) => {
      if (result.dataset === null)
        return fallback(result.cause === 'failed' ? warn('comment_failed', { reason: result.reason }) : null);
      const reply = usableReply(result.value);
      if (reply === null) return fallback(warn('comment_refused', { reason: sentence('reply_unusable') }));
      const contradicted = contradictedBy(reply, facts.indicators);
      if (contradicted !== null)
        return fallback(
          warn('comment_refused', { reason: sentence('reply_contradicts', { subject: subjectWord(contradicted) }) }),
        );
      const said = sentence('comment_by_model', { reply, weighed: weighedInWords(weighed) });
      return { text: said.message, parts: [codeOf(said)], warning: null };
    },
  );
}

function composed(found: Findings, weighed: Weighed): Pick<Comment, 'text' | 'parts'> {
  const first = sentence('comment_composed', { weighed: weighedInWords(weighed) });
  const parts: MessagePart[] = [codeOf(first)];
  const texts = [first.message];
  const missing: Said[] = [];
  for (const { indicator, cause, detail } of inOrder(found)) {
    if (cause === 'not_requested' || indicator === 'producer_confirmation') continue;
    if (cause === 'not_covered' && indicator !== 'commodity_presence') missing.push(subjectWord(indicator));
    else {
      texts.push(detail.message);
      parts.push({ evidence: indicator });
    }
  }
  if (missing.length > 0) {
    const last = sentence('comment_lacks', { subjects_list: missing });
    texts.push(last.message);
    parts.push(codeOf(last));
  }
  return { text: texts.join(' '), parts };
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

/** Words by which a clause speaks of an indicator. A facility may be called a mill, so that is no building here. */
const WORDS: Readonly<Partial<Record<Indicator, RegExp>>> = {
  latitude: /\blatitudes?\b/i,
  commodity_presence: /\b(presence|grows?|grown|growing|cultivat\w+|plantations?)\b/i,
  poi_presence: /\b(business(es)?|compan(y|ies)|points? of interest)\b/i,
  building_presence: /\b(buildings?|structures?|warehouses?)\b/i,
  road_access: /\b(roads?|highways?|streets?)\b/i,
  water_access: /\b(water|rivers?|lakes?|sea|coast|waterways?)\b/i,
  port_proximity: /\b(sea)?(ports?|harbou?rs?)\b/i,
  high_density: /\b(dense|densely|urban|city|built-up)\b/i,
  producer_confirmation: /\b(producers?|registr(y|ies)|registered)\b/i,
};
const UNKNOWN =
  /\b(unknown|unclear|unverified|undetermined|not (been )?(known|assessed|checked|covered|looked|available|asked)|no (data|dataset|evidence|information)|lack of data|could not|cannot)\b/i;
const DENIAL =
  /\b(no|not|none|nor|neither|never|without|lack(s|ing)?|absent|absence|missing|unlikely|outside|beyond|\w+n't)\b/i;
const CLAUSES = /[.;:!?]|,|\b(?:and|but|although|though|however|while|whereas|yet)\b/i;

/**
 * What a reply says otherwise than the evidence; null when nothing contradicts it. A clause
 * that speaks of an indicator has to deny what is absent, affirm what is present and leave open what is not known. Strict on
 * purpose: a reply that is refused for nothing costs a sentence, one that is believed wrongly costs trust.
 */
export function contradictedBy(reply: string, indicators: CommentFacts['indicators']): Indicator | null {
  for (const clause of reply.split(CLAUSES)) {
    const isOpen = UNKNOWN.test(clause);
    const isDenied = DENIAL.test(clause);
    for (const { indicator, present, known } of indicators) {
      if (WORDS[indicator as Indicator]?.test(clause) !== true) continue;
      const agrees = known ? !isOpen && isDenied === (present === 0) : isOpen;
      if (!agrees) return indicator as Indicator;
    }
  }
  return null;
}
