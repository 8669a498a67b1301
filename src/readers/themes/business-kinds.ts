import type { Commodity } from '../../facilities/commodity/commodities.ts';
import {
  ANY_COMMODITY,
  BUSINESS_REACH_M,
  BY_COMMODITY,
  GENERAL_KINDS,
  NEVER_EXCEPT,
  NEVER_KINDS,
  REGISTER_FILING,
  TEXT_SEARCHES,
  type BusinessRules,
} from './business-table.ts';

/** The tags of OpenStreetMap that some rule names: for each key the values, or `*` for any. This is what has to be fetched. */
export const BUSINESS_TAGS: Readonly<Record<string, readonly string[] | '*'>> = tagsOf([
  ...[ANY_COMMODITY, ...Object.values<BusinessRules>(BY_COMMODITY)].flatMap(({ kinds, products }) => [
    ...kinds,
    ...products,
  ]),
  ...GENERAL_KINDS,
]);

function tagsOf(kinds: readonly string[]): Record<string, readonly string[] | '*'> {
  const tags: Record<string, readonly string[] | '*'> = {};
  for (const kind of kinds) {
    const [key, value] = kind.split('=');
    if (value === undefined || tags[key] === '*') continue;
    tags[key] = value === '*' ? '*' : [...new Set([...(tags[key] ?? []), value])];
  }
  return tags;
}

/** Whether an OpenStreetMap element is a place some rule speaks of at all: a street may be named after a mill. */
export function hasBusinessTag(tags: Readonly<Record<string, string>>): boolean {
  for (const key in tags) {
    const wanted = Object.hasOwn(BUSINESS_TAGS, key) ? BUSINESS_TAGS[key] : [];
    if ((wanted === '*' && tags[key] !== 'no') || wanted.includes(tags[key])) return true;
  }
  return false;
}

/** What a service that searches by text is queried for. */
export function searchText(commodity: Commodity | null): string {
  return commodity === null ? 'agricultural cooperative' : TEXT_SEARCHES[commodity];
}

/** How a place matters to a commodity: not at all, close by as a general industrial kind, or as a facility of its chain. */
export type BusinessReach = 'none' | 'general' | 'chain';

/** How a place matters, by its kinds and its names in any language; without a commodity by the rules for produce of any kind. */
export function businessReach(
  commodity: Commodity | null,
  kinds: readonly string[],
  names: readonly string[],
): BusinessReach {
  const rules = rulesOf(commodity ?? 'none');
  // A filing at an address is no facility, whatever the firm does elsewhere.
  const chain = kinds.includes(REGISTER_FILING) ? 'general' : 'chain';
  if (kinds.some((kind) => rules.kinds.has(kind))) return chain;
  if (kinds.some(isNever)) return 'none';
  const folded = names.map(fold);
  if (folded.some((name) => rules.phrases(name))) return chain;
  const isGeneral = kinds.some((kind) => isIn(GENERAL_KINDS, kind));
  if (!isGeneral) return 'none';
  const isNamed = kinds.some((kind) => rules.products.has(kind)) || folded.some((name) => rules.words(name));
  return isNamed ? 'general' : 'none';
}

/** Metres within which a place counts where businesses are searched within so many. */
export function reachM(reach: BusinessReach, withinM: number): number {
  if (reach === 'chain') return withinM;
  return reach === 'general' ? Math.min(withinM, BUSINESS_REACH_M.general) : -1;
}

function isNever(kind: string): boolean {
  return !NEVER_EXCEPT.has(kind) && isIn(NEVER_KINDS, kind);
}

function isIn(set: ReadonlySet<string>, kind: string): boolean {
  return set.has(kind) || (kind.includes('=') && set.has(`${kind.slice(0, kind.indexOf('='))}=*`));
}

interface CompiledRules {
  readonly kinds: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
  readonly phrases: (name: string) => boolean;
  readonly words: (name: string) => boolean;
}

function compile({ kinds, products, phrases, words }: BusinessRules): CompiledRules {
  return {
    kinds: new Set(kinds),
    products: new Set(products),
    phrases: anyOf(phrases),
    words: anyOf(words),
  };
}

/** A test for whole words; scripts that do not part words are searched anywhere in the name. */
function anyOf(words: readonly string[]): (name: string) => boolean {
  const alternatives = words
    .map(fold)
    .map((word) => (/[a-z]/.test(word) ? `(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])` : word));
  const pattern = new RegExp(alternatives.join('|'), 'u');
  return (name) => pattern.test(name);
}

/** Lower case without accents; other scripts stay as they are. */
function fold(text: string): string {
  return text
    .slice(0, 300)
    .normalize('NFKD')
    .replaceAll(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
}

const compiled = new Map<Commodity | 'none', CompiledRules>();

/** Compiled when they are first needed: all of them take a tenth of a second, in every process and thread that starts. */
function rulesOf(commodity: Commodity | 'none'): CompiledRules {
  let rules = compiled.get(commodity);
  if (rules === undefined) {
    rules = compile(commodity === 'none' ? ANY_COMMODITY : BY_COMMODITY[commodity]);
    compiled.set(commodity, rules);
  }
  return rules;
}
