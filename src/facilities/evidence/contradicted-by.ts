import type { Indicator } from './evidence.ts';
import type { CommentFacts } from '../sources.ts';
import { SUBJECTS } from './unknown.ts';

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
 * What a reply says otherwise than the evidence, in the words of the receipt; null when nothing contradicts it. A clause
 * that speaks of an indicator has to deny what is absent, affirm what is present and leave open what is not known. Strict on
 * purpose: a reply that is refused for nothing costs a sentence, one that is believed wrongly costs trust.
 */
export function contradictedBy(reply: string, indicators: CommentFacts['indicators']): string | null {
  for (const clause of reply.split(CLAUSES)) {
    const isOpen = UNKNOWN.test(clause);
    const isDenied = DENIAL.test(clause);
    for (const { indicator, present, known } of indicators) {
      if (WORDS[indicator as Indicator]?.test(clause) !== true) continue;
      const agrees = known ? !isOpen && isDenied === (present === 0) : isOpen;
      if (!agrees) return SUBJECTS[indicator as Indicator].words;
    }
  }
  return null;
}
