import MiniSearch from 'minisearch';
import { anchorOf } from '../html-page.ts';
import type { SitePage } from './read-site.ts';

/** A section of a page, as the search finds it. */
interface Section {
  readonly id: number;
  readonly path: string;
  readonly anchor: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly begin: string;
}

/** How the index is made, and read again by the page. */
export const SEARCH_OPTIONS = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['path', 'anchor', 'title', 'heading', 'begin'],
  searchOptions: { boost: { title: 4, heading: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
} as const;

/** A word as the index has it: in lower case, and without the ending of a plural. The page has this function as text. */
export function searchTerm(term: string): string {
  const word = term.toLowerCase();
  return /^[a-z]{3,}[^su]s$/.test(word) ? word.replace(/ies$/, 'y').replace(/s$/, '') : word;
}

/** How much a page counts against others: guides first, then commands, then what was decided, changed or measured. The page has it as text. */
export function weightOf(path: string): number {
  return /^(?:decisions|changelog|benchmarks)/.test(path) ? 0.3 : path === 'cli' ? 0.6 : 1;
}

const BEGIN_CHARACTERS = 140;

/** Sections that are indexed before others have their turn. */
const CHUNK = 20;

/** The index of all sections as JSON. */
export async function searchIndex(pages: readonly SitePage[]): Promise<string> {
  const { fields, storeFields } = SEARCH_OPTIONS;
  const search = new MiniSearch<Section>({
    fields: [...fields],
    storeFields: [...storeFields],
    processTerm: searchTerm,
  });
  const sections = pages.flatMap(sectionsOf).map((section, id) => ({ ...section, id }));
  await search.addAllAsync(sections, { chunkSize: CHUNK });
  return JSON.stringify(search);
}

function sectionsOf({ path, title, text }: SitePage): readonly Omit<Section, 'id'>[] {
  return text.split(/^(?=#{1,3} )/m).map((part) => {
    const [, marks = '#', heading = title] = /^(#{1,3}) (.*)/.exec(part) ?? [];
    const words = plain(part.replace(/^#.*\n/, ''));
    const isTop = marks === '#';
    return {
      path,
      title,
      anchor: isTop ? '' : anchorOf(heading),
      heading: isTop ? '' : plain(heading),
      text: words,
      begin: beginOf(words),
    };
  });
}

function beginOf(words: string): string {
  return words.length <= BEGIN_CHARACTERS ? words : `${words.slice(0, BEGIN_CHARACTERS).replace(/ \S*$/, '')} ...`;
}

/** The words of Markdown. */
function plain(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|>#]|^-+ |-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
