import type { Commodity } from '../../facilities/commodity/commodities.ts';

/** A public register of mills, cooperatives, silos or slaughterhouses, and what is relied on of it. */
export interface PublicRegister {
  readonly id: string;
  readonly title: string;
  /** What its records are. */
  readonly what: string;
  readonly commodity: Commodity;
  /** Where its records lie, as ISO 3166-1 alpha-2. */
  readonly countries: readonly string[];
  /** Whether the service fetches it when its commodity is first looked for in one of its countries: its licence allows that. */
  readonly isFetched: boolean;
  readonly licence: string;
  /** What its publisher requires of those who use it, in one sentence. */
  readonly terms: string;
  readonly attribution: string;
  /** The page that names the newest file. */
  readonly page: string;
  /** The file as the page names it: the last of the names that fit counts. */
  readonly pattern: RegExp;
  /** Folder of the files that a page names without one. */
  readonly folder: string;
  /** The file that was seen last, where its page names none; null: none was seen. */
  readonly known: string | null;
  /** Its size when it was seen, in bytes; null: not seen. */
  readonly bytes: number | null;
  readonly expect: RegisterExpectation;
}

/** What a file has to be like, so that another file in its place is noticed. */
interface RegisterExpectation {
  /** Headers that have to be taken for names, folded to letters and digits; empty: not known, and any will do. */
  readonly names: readonly string[];
  /** How identifiers of records look; null: not known. */
  readonly ids: RegExp | null;
  readonly leastRecords: number;
}

/** Countries with palm oil mills. One that is missing costs an automatic fetch, never a record of the list. */
const PALM_COUNTRIES: readonly string[] =
  'BJ BR KH CM CF CG CD CO CR CI DO EC GA GH GT GN HN IN ID LR MG MY MX MM NI NG PA PG PE PH ST SL SB LK TZ TH TG UG VE'.split(
    ' ',
  );

/** The register that the settings can have read from elsewhere. */
export const MILL_LIST = 'universal-mill-list';

const TRASE_FILES = 'https://resources.trase.earth/data/facilities-data/';
const TRASE_PAGE = 'https://trase.earth/explore/facilities-data/map?facilityTypeId=';
const TRASE = {
  isFetched: false,
  licence: 'Trase terms of use',
  terms:
    'Trase: charts and maps are CC BY 4.0, commercial use of the data is to be discussed with Trase; it is fetched by this command alone.',
  attribution: 'Trase (trase.earth)',
  folder: TRASE_FILES,
} as const;

/**
 * Registers that one command installs. The mill list is fetched by itself as well, since its publisher gives it under CC BY 4.0;
 * commercial use of Trase's data is to be discussed with Trase, so that a person has to want it.
 */
export const PUBLIC_REGISTERS: readonly PublicRegister[] = [
  {
    id: MILL_LIST,
    title: 'Universal Mill List',
    what: 'palm oil mills',
    commodity: 'palm',
    countries: PALM_COUNTRIES,
    isFetched: true,
    licence: 'CC-BY-4.0',
    terms:
      'CC BY 4.0 as Global Forest Watch publishes the list; read the page it comes from before you use it otherwise.',
    attribution: 'Universal Mill List: World Resources Institute, Rainforest Alliance, Proforest, Daemeter',
    page: 'https://www.rainforest-alliance.org/business/certification/the-universal-mill-list/',
    pattern: /[^\s"'<>()]+\.(?:xlsx|csv)/gi,
    folder: 'https://www.rainforest-alliance.org/',
    known: null,
    bytes: null,
    expect: { names: ['millname'], ids: /^PO\d{10}$/, leastRecords: 1_000 },
  },
  {
    ...TRASE,
    id: 'trase-palm-mills-indonesia',
    title: 'Palm oil mills of Indonesia (Trase)',
    what: 'palm oil mills',
    commodity: 'palm',
    countries: ['ID'],
    page: `${TRASE_PAGE}indonesia-palm-oil-mills`,
    pattern: /[\w./:-]*IDN_PO_mills[\w.-]*\.geo\.json/g,
    known: `${TRASE_FILES}IDN_PO_mills_clean.geo.json`,
    bytes: null,
    expect: { names: ['millname', 'company'], ids: null, leastRecords: 500 },
  },
  {
    ...TRASE,
    id: 'trase-cocoa-cooperatives-cote-divoire',
    title: "Cocoa cooperatives of Cote d'Ivoire (Trase)",
    what: 'cooperatives',
    commodity: 'cocoa',
    countries: ['CI'],
    page: `${TRASE_PAGE}cote-d-ivoire-cocoa-cooperatives`,
    pattern: /[\w./:-]*coop[\w.-]*\.geo\.json/gi,
    known: null,
    bytes: null,
    expect: { names: [], ids: null, leastRecords: 100 },
  },
  {
    ...TRASE,
    id: 'trase-soy-silos-brazil',
    title: 'Soy silos of Brazil (Trase)',
    what: 'silos',
    commodity: 'soy',
    countries: ['BR'],
    page: `${TRASE_PAGE}brazil-silos`,
    pattern: /[\w./:-]*silos_consolidated[\w.-]*\.geo\.json/g,
    known: `${TRASE_FILES}silos_consolidated_capacity_website_brazil_2024_2_post.geo.json`,
    bytes: null,
    expect: { names: [], ids: null, leastRecords: 5_000 },
  },
  {
    ...TRASE,
    id: 'trase-slaughterhouses-brazil',
    title: 'Slaughterhouses and other cattle facilities of Brazil (Trase)',
    what: 'slaughterhouses, with other facilities of the chain',
    commodity: 'cattle',
    countries: ['BR'],
    page: `${TRASE_PAGE}brazil-facilities`,
    pattern: /[\w./:-]*br_beef_logistics_map[\w.-]*\.geo\.json/g,
    known: `${TRASE_FILES}2026-05-07-br_beef_logistics_map_v6.geo.json`,
    bytes: 15_900_000,
    expect: { names: ['company'], ids: null, leastRecords: 10_000 },
  },
  {
    ...TRASE,
    id: 'trase-pulp-mills-indonesia',
    title: 'Wood pulp mills of Indonesia (Trase)',
    what: 'pulp mills',
    commodity: 'timber',
    countries: ['ID'],
    page: `${TRASE_PAGE}indonesia-wood-pulp-mills`,
    pattern: /[\w./:-]*wood_mills[\w.-]*\.geo\.json/g,
    known: null,
    bytes: null,
    expect: { names: [], ids: null, leastRecords: 3 },
  },
];
