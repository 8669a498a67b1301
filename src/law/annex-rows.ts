import type { Confidence } from './acts.ts';

/** The commodities of the regulation by the names this service uses for them, with those of Annex I. */
export const COMMODITY_NAMES = {
  cattle: 'Cattle',
  cocoa: 'Cocoa',
  coffee: 'Coffee',
  palm: 'Oil palm',
  rubber: 'Rubber',
  soy: 'Soya',
  timber: 'Wood',
} as const;

export type AnnexCommodity = keyof typeof COMMODITY_NAMES;

/**
 * A code as Annex I prints it. `ex`: only part of the goods under the code is listed; null: whether the annex prints it was
 * not read. `goods` are our words, null where the sources read describe none.
 */
export type PrintedCode = readonly [code: string, ex: boolean | null, goods: string | null, confidence: Confidence];

/** The annex as adopted: 77 codes, in force from 29 June 2023. All but the one of `ENDED_BY_AM25` stood until 17 September 2026. */
export const ORIGINAL_CODES = {
  cattle: [
    ['0102 21', null, 'live cattle', 'high'],
    ['0102 29', null, 'live cattle', 'high'],
    ['0201', null, 'beef, fresh or chilled', 'medium'],
    ['0202', null, 'beef, frozen', 'medium'],
    ['0206 10', null, 'edible offal of cattle, fresh or chilled', 'medium'],
    ['0206 22', null, 'livers of cattle, frozen', 'medium'],
    ['0206 29', null, 'other edible offal of cattle, frozen', 'medium'],
    ['1602 50', null, 'other prepared or preserved beef, offal, blood', 'medium'],
    ['4101', true, 'raw hides', 'high'],
    ['4104', true, 'tanned hides', 'high'],
    ['4107', true, 'prepared leather', 'high'],
  ],
  cocoa: [
    ['1801', null, 'cocoa beans', 'high'],
    ['1802', null, 'shells and husks of cocoa', 'high'],
    ['1803', null, null, 'medium'],
    ['1804', null, null, 'medium'],
    ['1805', null, null, 'medium'],
    ['1806', null, null, 'medium'],
  ],
  coffee: [['0901', null, 'coffee, raw, roasted or decaffeinated; husks; substitutes with coffee', 'high']],
  palm: [
    ['1207 10', null, 'palm nuts and kernels', 'medium'],
    ['1511', null, 'palm oil', 'medium'],
    ['1513 21', null, 'palm kernel oil, crude', 'high'],
    ['1513 29', null, 'palm kernel oil, other', 'high'],
    ['2306 60', null, 'oil cake of palm nuts or kernels', 'medium'],
    ['2905 45', null, 'glycerol', 'medium'],
    ['2915 70', null, 'palmitic and stearic acids', 'medium'],
    ['2915 90', null, 'other saturated acids', 'medium'],
    ['3823 11', null, 'industrial stearic acid', 'medium'],
    ['3823 12', null, 'industrial oleic acid', 'medium'],
    ['3823 19', null, 'other industrial fatty acids', 'medium'],
    ['3823 70', null, 'industrial fatty alcohols', 'medium'],
  ],
  rubber: [
    ['4001', null, 'natural rubber', 'medium'],
    ['4005', null, 'compounded rubber', 'medium'],
    ['4006', null, 'rubber in unvulcanised forms', 'medium'],
    ['4007', null, 'thread of rubber', 'medium'],
    ['4008', null, 'plates of rubber', 'medium'],
    ['4010', true, 'conveyor belts', 'high'],
    ['4011', null, 'new tyres', 'medium'],
    ['4012', null, 'retreaded and used tyres; tyre treads', 'high'],
    ['4013', null, 'inner tubes', 'medium'],
    ['4015', null, 'gloves and clothing of rubber', 'medium'],
    ['4016', true, 'other articles of vulcanised rubber', 'high'],
    ['4017', null, 'hard rubber', 'medium'],
  ],
  soy: [
    ['1201', false, 'soya beans', 'high'],
    ['1208 10', null, 'flour of soya beans', 'medium'],
    ['1507', null, 'soya oil', 'medium'],
    ['2304', null, 'oil cake of soya', 'medium'],
  ],
  timber: [
    ['4401', null, 'fuel wood', 'high'],
    ...woodHeadings(null),
    ['4421', null, 'other articles of wood', 'medium'],
    ['47', true, 'pulp', 'high'],
    ['48', null, 'paper', 'medium'],
    ['49', true, 'printed matter', 'high'],
    ['9401', null, 'seats', 'high'],
    ['9403 30', null, 'wooden furniture for offices', 'high'],
    ['9403 40', null, 'wooden furniture for kitchens', 'high'],
    ['9403 50', null, 'wooden furniture for bedrooms', 'high'],
    ['9403 60', null, 'other wooden furniture', 'high'],
    ['9403 91', null, 'parts of wooden furniture', 'high'],
    ['9406 10', null, 'prefabricated buildings of wood', 'medium'],
  ],
} as const satisfies Readonly<Record<AnnexCommodity, readonly PrintedCode[]>>;

/** Codes of the annex as adopted that Regulation (EU) 2025/2650 removed from 26 December 2025. */
export const ENDED_BY_AM25: readonly string[] = ['49'];

/** The annex as Delegated Regulation (EU) 2026/2102 replaced it: 75 codes, in force from 18 September 2026. */
export const REPLACED_CODES = {
  cattle: [
    ['0102', true, 'live cattle', 'high'],
    ['0201', true, 'beef, fresh or chilled', 'medium'],
    ['0202', true, 'beef, frozen', 'medium'],
    ['0206 10', true, 'edible offal of cattle, fresh or chilled', 'medium'],
    ['0206 22', true, 'livers of cattle, frozen', 'medium'],
    ['0206 29', true, 'other edible offal of cattle, frozen, but not tongues', 'medium'],
    ['1602 50', true, 'other prepared or preserved beef, offal, blood', 'medium'],
  ],
  cocoa: [
    ['1801', false, 'cocoa beans', 'high'],
    ['1802', false, 'shells and husks of cocoa', 'high'],
    ['1803', false, null, 'medium'],
    ['1804', false, null, 'medium'],
    ['1805', false, null, 'medium'],
    ['1806', false, null, 'medium'],
  ],
  coffee: [['0901', false, 'coffee, raw, roasted or decaffeinated; husks; substitutes with coffee', 'high']],
  palm: [
    ['1207 10 00', true, 'palm nuts and kernels', 'medium'],
    ['1511', true, 'palm oil', 'medium'],
    ['1513 21', true, 'palm kernel oil, crude', 'high'],
    ['1513 29', true, 'palm kernel oil, other', 'high'],
    ['2306 60 00', true, 'oil cake of palm nuts or kernels', 'medium'],
    ['2905 45', true, 'glycerol', 'medium'],
    ['2915 70', true, 'palmitic and stearic acids', 'medium'],
    ['2915 90', true, 'other saturated acids', 'medium'],
    ['3823 11 00', true, 'industrial stearic acid', 'medium'],
    ['3823 12 00', true, 'industrial oleic acid', 'medium'],
    ['3823 19', true, 'other industrial fatty acids', 'medium'],
    ['3823 70 00', true, 'industrial fatty alcohols', 'medium'],
  ],
  rubber: [
    ['4001', true, 'natural rubber of Hevea', 'medium'],
    ['4005', true, 'compounded rubber', 'medium'],
    ['4006', true, 'rubber in unvulcanised forms', 'medium'],
    ['4007', true, 'thread of rubber', 'medium'],
    ['4008', true, 'plates of rubber', 'medium'],
    ['4011', true, 'new tyres', 'medium'],
    ['4012 90 30', true, 'tyre treads', 'high'],
    ['4013', true, 'inner tubes', 'medium'],
    ['4015', true, 'gloves and clothing of rubber', 'medium'],
    ['4017', true, 'hard rubber', 'medium'],
  ],
  soy: [
    ['1201 90 00', false, 'soya beans other than for sowing', 'high'],
    ['1208 10', false, 'flour of soya beans', 'medium'],
    ['1507', false, 'soya oil', 'medium'],
    ['2304', false, 'oil cake of soya', 'medium'],
  ],
  timber: [
    ['4401', true, 'fuel wood', 'high'],
    ...woodHeadings(true),
    ['4421', true, 'other articles of wood', 'medium'],
    ['47', true, 'pulp', 'high'],
    ['48', true, 'paper', 'medium'],
    ['9401 31 00', true, 'swivel seats', 'medium'],
    ['9401 41 00', true, 'convertible seats', 'medium'],
    ['9401 61 00', true, 'seats with wooden frames', 'medium'],
    ['9401 69 00', true, 'seats with wooden frames', 'medium'],
    ['9401 80 00', true, 'other seats', 'medium'],
    ['9401 91 90', true, 'parts of seats', 'medium'],
    ['9403 30', true, 'wooden furniture for offices', 'high'],
    ['9403 40', true, 'wooden furniture for kitchens', 'high'],
    ['9403 50 00', true, 'wooden furniture for bedrooms', 'high'],
    ['9403 60', true, 'other wooden furniture', 'high'],
    ['9403 91', true, 'parts of wooden furniture', 'high'],
    ['9406 10 00', true, 'prefabricated buildings of wood', 'medium'],
  ],
} as const satisfies Readonly<Record<AnnexCommodity, readonly PrintedCode[]>>;

/** The 18 codes that the same act adds from 30 December 2027. */
export const DEFERRED_CODES = {
  cattle: [['0206 21 00', true, 'tongues of cattle, frozen', 'medium']],
  cocoa: [],
  coffee: [['2101 11 00', false, 'soluble coffee: extracts, essences and concentrates', 'high']],
  palm: [
    ['1516 20', true, null, 'medium'],
    ['1518 00', true, null, 'medium'],
    ['1520 00', true, 'crude glycerol', 'high'],
    ['2905 16', true, null, 'medium'],
    ['2905 17 00', true, null, 'medium'],
    ['2905 19 00', true, null, 'medium'],
    ['2915 39', true, null, 'medium'],
    ['2916 15', true, null, 'medium'],
    ['2916 19 10', true, null, 'medium'],
    ['2921 19', true, null, 'medium'],
    ['2923 90 00', true, null, 'medium'],
    ['2924 19 00', true, null, 'medium'],
    ['3401 11 00', true, null, 'medium'],
    ['3401 20', true, null, 'medium'],
    ['3824 99', true, null, 'medium'],
    ['3907 29', true, null, 'medium'],
  ],
  rubber: [],
  soy: [],
  timber: [],
} as const satisfies Readonly<Record<AnnexCommodity, readonly PrintedCode[]>>;

/** Codes whose first day the sources leave open, with the earliest day it can be. */
export const MAYBE_EARLIER: Readonly<Record<string, string>> = { '1520 00': '2026-09-18' };

/** Headings 4402 to 4420, which the sources name as a range. */
function woodHeadings(ex: boolean | null): readonly PrintedCode[] {
  return Array.from({ length: 19 }, (_, i) => [String(4402 + i), ex, null, 'medium'] as const);
}

/** What narrows the codes of a commodity that are printed with "ex" since 18 September 2026. */
export const LIMITS_BY_COMMODITY: Readonly<Partial<Record<AnnexCommodity, string>>> = {
  cattle: 'only the genus Bos kept as cattle; buffalo and bison are out',
  palm: 'only what is made from oil palm (Elaeis); medicinal goods are out',
  timber: 'only what is of wood; bamboo, rattan and other woody material that is not wood are out',
};

/** What narrows single codes in addition, on any day they are listed; they need a look at the goods even without "ex". */
export const LIMITS_BY_CODE: Readonly<Record<string, string>> = {
  '1802': 'goods that are waste (Directive 2008/98/EC Art 3(1)) are out',
  '4001': 'only natural rubber of Hevea',
  '4012 90 30': 'of heading 4012 only tyre treads',
  '47': 'recovered (waste and scrap) and bamboo-based products are out',
  '48': 'recovered (waste and scrap) and bamboo-based products are out, as is correspondence-type and marketing paper sent with goods',
};

/** What is out although its code is listed, since 18 September 2026. */
export const GENERAL_EXCLUSIONS: readonly string[] = [
  'samples of negligible value, and goods for testing or analysis',
  'goods that are waste (Directive 2008/98/EC Art 3(1)), and second-hand or used goods',
];

/** The same for one commodity. */
export const EXCLUSIONS_BY_COMMODITY: Readonly<Partial<Record<AnnexCommodity, readonly string[]>>> = {
  cattle: ['buffalo and bison'],
  palm: ['medicinal goods'],
  timber: [
    'bamboo, rattan and other woody material that is not wood',
    'packaging used only to support, protect or carry another product; packaging sold as such is in',
  ],
};
