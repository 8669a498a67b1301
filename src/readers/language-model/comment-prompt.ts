import type { CommentFacts } from '../../facilities/sources.ts';

/** The dataset that comments of a language model are named after. Here, for its package is loaded by the first comment alone. */
export const LANGUAGE_MODEL_ID = 'language-model';

/** What a model is sent, and the names its words stand for. */
export interface CommentPrompt {
  readonly system: string;
  /** The facts as JSON. */
  readonly facts: string;
  /** Name by placeholder, such as `{{facility}}`. */
  readonly names: ReadonlyMap<string, string>;
  /** Every number the reply may hold: distances in metres and in kilometres. */
  readonly numbers: ReadonlySet<string>;
}

/** Most characters of a name that go into a comment. */
const LONGEST_NAME = 120;

const SYSTEM = `You word the findings about a facility that may collect an agricultural commodity from farms.
You are given facts as JSON. For each indicator, "present" is 1 or 0, and "known" is false where no data covers the place.
Write two or three plain sentences for a compliance officer: what was found, what was not, what is not known.
Use only these facts. Do not rate, score, advise or conclude. Do not call something absent that is not known.
Names are written as placeholders in double braces, such as {{facility}}: use them as they are.
Give no number other than the distances in the facts. No lists, no markup, no addresses.`;

/** How sentences may call the indicators. */
const WORDS: Readonly<Record<string, string>> = {
  country: 'a country that produces the commodity',
  latitude: 'a latitude at which the commodity grows',
  commodity_presence: 'the commodity in the surroundings',
  poi_presence: 'a relevant business nearby',
  building_presence: 'an industrial or sizeable building',
  road_access: 'a road nearby',
  water_access: 'water nearby',
  port_proximity: 'a sea port in reach',
  high_density: 'a dense urban area',
  producer_confirmation: 'the producer confirmed by a registry',
};

/**
 * The request for a comment. Names are data of others and may hold anything, instructions too: the model is given
 * placeholders for them, so that whatever they say, the request is the same.
 */
export function commentPrompt({ facilityName, commodity, country, indicators }: CommentFacts): CommentPrompt {
  const names = new Map<string, string>();
  const numbers = new Set<string>();
  const hide = (placeholder: string, name: string | null | undefined): string | null => {
    const line = oneLine(name ?? '');
    if (line === '') return null;
    names.set(`{{${placeholder}}}`, line);
    return `{{${placeholder}}}`;
  };
  const facts = {
    facility: hide('facility', facilityName),
    commodity: hide('commodity', commodity),
    country: hide('country', country),
    indicators: indicators.map(({ indicator, present, known, name, distanceM }) => {
      if (distanceM !== undefined) for (const text of distanceTexts(distanceM)) numbers.add(text);
      const hidden = hide(indicator, name);
      return {
        indicator: WORDS[indicator] ?? indicator,
        present,
        known,
        ...(hidden === null ? {} : { nearest: hidden }),
        ...(distanceM === undefined ? {} : { metres: distanceM }),
      };
    }),
  };
  return { system: SYSTEM, facts: JSON.stringify(facts), names, numbers };
}

/** A distance as a sentence may give it: `1234`, `1.2`, `1`. */
function distanceTexts(metres: number): readonly string[] {
  const km = metres / 1000;
  return [
    String(metres),
    km.toFixed(1),
    String(Math.round(km)),
    String(Number(km.toFixed(2))),
    String(Number(km.toFixed(3))),
  ];
}

/** Without line breaks, control characters and braces, and not longer than a name is. */
function oneLine(name: string): string {
  return name
    .replaceAll(/[\p{C}\p{Z}{}<>]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .trim();
}
