/** The commodities that have rules of their own; any other is rated by the generic plantation mask. */
export const COMMODITIES = ['rubber', 'palm', 'cocoa', 'coffee', 'soy', 'timber', 'cattle'] as const;

export type Commodity = (typeof COMMODITIES)[number];

/** Degrees from the equator, north or south alike. Both ends of a band belong to it. */
interface LatitudeBands {
  readonly optimal: readonly [from: number, to: number];
  readonly viable: readonly [from: number, to: number];
  /** Beyond this the commodity does not grow. */
  readonly unlikelyBeyond: number;
}

export interface CommodityRules {
  /** How messages call it. */
  readonly label: string;
  /** Null: grows or is kept at any latitude. */
  readonly latitude: LatitudeBands | null;
  /** ISO 3166-1 alpha-2 codes of the countries that produce it; `except` means every country but these. */
  readonly countries: { readonly only: ReadonlySet<string> } | { readonly except: ReadonlySet<string> };
}

/**
 * Countries and territories without forest. Those with a forest area of zero in the Global Forest Resources Assessment
 * 2020 of the FAO: Falkland Islands, Gibraltar, Monaco, Nauru, Qatar, Svalbard, Tokelau, Vatican City. And the far south
 * it does not report on: Antarctica, Bouvet, Heard and McDonald, South Georgia, the French Southern Territories.
 */
const WITHOUT_FOREST = codes('FK GI MC NR QA SJ TK VA AQ BV HM GS TF');

/** The rules of each commodity, as the service's specification lists them. */
export const COMMODITY_RULES = {
  rubber: {
    label: 'rubber',
    latitude: { optimal: [0, 10], viable: [0, 20], unlikelyBeyond: 30 },
    countries: { only: codes('TH VN ID MY CI CN GH PH LA KH MM IN BD NP BT LR') },
  },
  palm: {
    label: 'palm',
    latitude: { optimal: [0, 10], viable: [0, 15], unlikelyBeyond: 20 },
    countries: { only: codes('TH ID MY CI GH NG EC HN BR CO VE PE BO PA NI GT BZ LR TG BJ CM') },
  },
  cocoa: {
    label: 'cocoa',
    latitude: { optimal: [0, 20], viable: [0, 25], unlikelyBeyond: 30 },
    countries: { only: codes('GH CI EC CO PE TG BJ NG CM VE PA BR BO DO LR') },
  },
  coffee: {
    label: 'coffee',
    latitude: { optimal: [0, 25], viable: [0, 35], unlikelyBeyond: 40 },
    countries: { only: codes('PE BR EC CO NI HN SV UG ET ID VN AR BO VE PA CR GT BZ IN LK MY MM KH TH LA PG') },
  },
  soy: {
    label: 'soy',
    latitude: { optimal: [0, 30], viable: [0, 45], unlikelyBeyond: 50 },
    countries: { only: codes('AR BR PY UY BO') },
  },
  timber: {
    label: 'timber',
    // The specification says "extreme polar regions": the northernmost forest stands at 72.5 N.
    latitude: { optimal: [30, 60], viable: [20, 70], unlikelyBeyond: 75 },
    countries: { except: WITHOUT_FOREST },
  },
  cattle: {
    label: 'cattle',
    latitude: null,
    countries: { except: new Set<string>() },
  },
} as const satisfies Record<Commodity, CommodityRules>;

/** Whether a country, by ISO alpha-2 code, is on the commodity's list of producers. */
export function isProducer(commodity: Commodity, iso2: string): boolean {
  const { countries }: CommodityRules = COMMODITY_RULES[commodity];
  return 'only' in countries ? countries.only.has(iso2) : !countries.except.has(iso2);
}

export type LatitudeFit = 'optimal' | 'viable' | 'marginal' | 'beyond';

/** How well a latitude (degrees) fits: marginal is outside the viable band but not beyond the unlikely line. */
export function latitudeFit(commodity: Commodity, latitude: number): LatitudeFit {
  const { latitude: bands }: CommodityRules = COMMODITY_RULES[commodity];
  if (bands === null) return 'optimal';
  const away = Math.abs(latitude);
  if (away > bands.unlikelyBeyond) return 'beyond';
  if (away >= bands.optimal[0] && away <= bands.optimal[1]) return 'optimal';
  return away >= bands.viable[0] && away <= bands.viable[1] ? 'viable' : 'marginal';
}

function codes(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
