import type { Commodity } from '../facilities/commodities.ts';
import { BY_COMMODITY, GENERAL, TEXT_SEARCHES, TRADE_KINDS, type BusinessRules } from './business-table.ts';

/** The tags of OpenStreetMap that some rule names: for each key the values, or `*` for any. This is what has to be fetched. */
export const BUSINESS_TAGS: Readonly<Record<string, readonly string[] | '*'>> = tagsOf([
  ...GENERAL.kinds,
  ...Object.values(BY_COMMODITY).flatMap(({ kinds }): readonly string[] => kinds),
  ...TRADE_KINDS,
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

/** What a service that searches by text is asked for. */
export function searchText(commodity: Commodity | null): string {
  return commodity === null ? 'agricultural cooperative' : TEXT_SEARCHES[commodity];
}

/**
 * Whether a place is a relevant business, by its kinds and its names in any language. Without a commodity only the rules
 * that hold for every commodity apply.
 */
export function isRelevantBusiness(
  commodity: Commodity | null,
  kinds: readonly string[],
  names: readonly string[],
): boolean {
  const rules = rulesOf(commodity ?? 'none');
  if (kinds.some((kind) => rules.kinds.has(kind))) return true;
  const folded = names.map(fold);
  if (folded.some((name) => rules.phrases(name))) return true;
  return folded.some((name) => rules.words(name)) && kinds.some(isTrade);
}

function isTrade(kind: string): boolean {
  return TRADE_KINDS.has(kind) || (kind.includes('=') && TRADE_KINDS.has(`${kind.slice(0, kind.indexOf('='))}=*`));
}

interface CompiledRules {
  readonly kinds: ReadonlySet<string>;
  readonly phrases: (name: string) => boolean;
  readonly words: (name: string) => boolean;
}

function compile(rules: readonly BusinessRules[]): CompiledRules {
  return {
    kinds: new Set(rules.flatMap(({ kinds }) => kinds)),
    phrases: anyOf(rules.flatMap(({ phrases }) => phrases)),
    words: anyOf(rules.flatMap(({ words }) => words)),
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

/** Compiled when they are first asked for: all of them take a tenth of a second, in every process and thread that starts. */
function rulesOf(commodity: Commodity | 'none'): CompiledRules {
  let rules = compiled.get(commodity);
  if (rules === undefined) {
    rules = compile(commodity === 'none' ? [GENERAL] : [GENERAL, BY_COMMODITY[commodity]]);
    compiled.set(commodity, rules);
  }
  return rules;
}
