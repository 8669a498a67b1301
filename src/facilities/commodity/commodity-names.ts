import { nearestName } from '../../nearest-name.ts';
import { COMMODITIES, type Commodity } from './commodities.ts';

interface CommodityNames {
  /** Other names, as people write them; compared without case, accents, spaces and punctuation. */
  readonly names: readonly string[];
  /** Chapters, headings and subheadings of the customs tariff whose goods are made of it. */
  readonly tariff: readonly string[];
}

/**
 * What the seven commodities are called: in trade, in Spanish, French, Portuguese, Indonesian, German, Italian, Dutch, Japanese,
 * Chinese and Arabic, by their species, and
 * by the headings of the Harmonized System of 2022 that Annex I of Regulation (EU) 2023/1115 lists, with the chapters and
 * extracts that can be nothing else.
 */
const NAMES: Readonly<Record<Commodity, CommodityNames>> = {
  rubber: {
    names: list(`natural rubber, rubber cuplump, cuplump, latex, natural latex, para rubber, hevea, hevea brasiliensis,
      caoutchouc, caucho, caucho natural, hule, borracha, borracha natural, seringueira, karet, getah, kautschuk,
      naturkautschuk, gomma, gomma naturale, caucciù, natuurrubber, 天然ゴム, ゴム, 橡胶, 橡膠, 天然橡胶, 天然橡膠, مطاط, المطاط, مطاط طبيعي,
      المطاط الطبيعي`),
    tariff: ['40'],
  },
  palm: {
    names: list(`oil palm, palm oil, crude palm oil, cpo, palm kernel, palm kernel oil, pko, palm kernels, palm nuts,
      palm fruit, fresh fruit bunches, ffb, elaeis guineensis, palma, palma africana, palma aceitera, palma de aceite,
      aceite de palma, huile de palme, palmier, palmier a huile, dende, oleo de palma, sawit, kelapa sawit, minyak sawit,
      palmöl, palmoel, ölpalme, olio di palma, palma da olio, palmolie, oliepalm, パーム油, パーム, アブラヤシ, 油ヤシ, 棕榈油, 棕櫚油, 棕榈, 油棕,
      زيت النخيل, نخيل الزيت`),
    tariff: list('1511,120710,151321,151329,230660,290545,291570,291590,382311,382312,382319,382370'),
  },
  cocoa: {
    names: list(`cacao, cocoa bean, cocoa beans, cacao beans, cocoa butter, cocoa powder, chocolate, theobroma cacao,
      feves de cacao, granos de cacao, cacau, kakao, biji kakao, kakaobohnen, kakaobohne, semi di cacao, fave di cacao,
      cacaobonen, カカオ, カカオ豆, ココア, 可可, 可可豆, كاكاو, الكاكاو, حبوب الكاكاو`),
    tariff: ['18'],
  },
  coffee: {
    names: list(`coffee bean, coffee beans, green coffee, robusta, arabica, robusta coffee, arabica coffee,
      coffea, coffea arabica, coffea canephora, coffea robusta, café, café arabica, café robusta, kopi, kopi robusta,
      kopi arabika, kahawa, kaffee, rohkaffee, kaffeebohnen, caffè, caffè verde, chicchi di caffè, koffie, koffiebonen,
      コーヒー, コーヒー豆, 珈琲, 咖啡, 咖啡豆, قهوة, القهوة, بن, البن`),
    tariff: ['0901', '210111', '210112'],
  },
  soy: {
    names: list(`soya, soybean, soybeans, soya bean, soya beans, soy beans, soja, soy meal, soybean meal, soy oil,
      soybean oil, glycine max, feves de soja, graos de soja, frijol de soya, kedelai, kacang kedelai, sojabohne, sojabohnen,
      soia, semi di soia, sojabonen, sojaboon, 大豆, 黄豆, 黃豆, فول الصويا, صويا, الصويا`),
    tariff: ['1201', '120810', '1507', '2304'],
  },
  timber: {
    names: list(`wood, forestry, lumber, logs, sawlogs, roundwood, sawnwood, sawn timber, sawn wood, hardwood, softwood,
      tropical hardwood, plywood, veneer, paper, paperboard, pulp, pulpwood, wood pulp, woodchips, wood chips, wood pellets, fuelwood, firewood,
      charcoal, rubberwood, teak, tectona grandis, pine, pinus, pinus radiata, eucalyptus, eucalypt, acacia, oak, beech,
      birch, poplar, spruce, fir, douglas fir, larch, cedar, mahogany, meranti, merbau, keruing, balau, bangkirai, sapele,
      sapelli, iroko, okoume, azobe, padouk, wenge, ayous, ipe, cumaru, jatoba, massaranduba, rosewood, ebony, albizia,
      sengon, gmelina, gmelina arborea, paulownia, madera, pino, eucalipto, teca, caoba, roble, madeira, pinheiro, mogno,
      bois, bois d'oeuvre, pin, teck, acajou, chene, hetre, kayu, kayu jati, kayu pinus, kayu bulat, holz, rundholz,
      schnittholz, legno, legname, tronchi, hout, rondhout, zaaghout, 木材, 原木, 丸太, 材木, خشب, أخشاب, الخشب, الأخشاب`),
    tariff: ['44', '47', '48', '49', '9401', '940330', '940340', '940350', '940360', '940391', '940610'],
  },
  cattle: {
    names: list(`beef, leather, livestock, bovine, bovines, cow, cows, bulls, calves, veal, beef cattle, dairy cattle,
      live cattle, cowhide, cattle hides, bovine hides, bos taurus, bos indicus, ganado, ganado vacuno, ganado bovino,
      carne bovina, carne de res, gado, gado bovino, carne de vaca, boi, betail, bovins, boeuf, viande bovine, sapi,
      ternak sapi, daging sapi, rind, rinder, rindfleisch, vieh, leder, bovini, bovino, carne bovina, bestiame, pelle, cuoio,
      rundvee, rundvlees, runderen, vee, leer, 牛, 牛肉, 畜牛, 肉牛, 皮革, أبقار, الأبقار, ماشية, الماشية, لحوم البقر`),
    tariff: ['0102', '0201', '0202', '020610', '020621', '020622', '020629', '160250', '4101', '4104', '4107'],
  },
};

/** What people write where they have no commodity to name. */
const NO_COMMODITY = new Set(['', 'null', 'none', 'na', 'nil', 'nan', 'undefined']);

const BY_NAME: ReadonlyMap<string, Commodity> = new Map(
  COMMODITIES.flatMap((commodity) =>
    [commodity, ...NAMES[commodity].names].map((name) => [fold(name), commodity] as const),
  ),
);
const BY_TARIFF: ReadonlyMap<string, Commodity> = new Map(
  COMMODITIES.flatMap((commodity) => NAMES[commodity].tariff.map((code) => [code, commodity] as const)),
);
/** Names that a misspelt one is compared with: short ones are near to everything. */
const COMPARED = [...BY_NAME.keys()].filter(
  (name) => name.length >= 5 || (COMMODITIES as readonly string[]).includes(name),
);

/** Digits in pairs at the beginning, as tariffs write them, and the words after them. */
const TARIFF_CODE =
  /^(?:(?:hs|cn|ncm|hts|taric)(?:\s*code)?\s*[:.#-]?\s*)?(\d\d(?:[ .]?\d\d){0,4})(?![\d.,])\s*[-:.,;)–—]*\s*(.*)$/is;

/**
 * The commodity a text names: by a usual name of it or of its goods, or by a code of the customs tariff with or without
 * words after it. Null for a text that names none of the seven, which is no error: such a facility is rated by the generic
 * plantation mask.
 */
export function parseCommodity(text: string | null | undefined): Commodity | null {
  if (text === null || text === undefined) return null;
  return BY_NAME.get(fold(text)) ?? byTariff(text);
}

/** Two digits may be any number; they are a chapter where the words after them say the same. Words that name another commodity contradict a code. */
function byTariff(text: string): Commodity | null {
  const match = TARIFF_CODE.exec(text.trim());
  if (match === null) return null;
  const code = match[1]!.replaceAll(/[ .]/g, '');
  const words = match[2]!.trim();
  for (let length = code.length; length >= 2; length -= 2) {
    const commodity = BY_TARIFF.get(code.slice(0, length));
    if (commodity === undefined) continue;
    const named = words.split(/[^\p{L}]+/u).flatMap((word) => BY_NAME.get(fold(word)) ?? []);
    return named.includes(commodity) || (code.length > 2 && named.length === 0) ? commodity : null;
  }
  return null;
}

/** The commodity as a caller writes it: one of the seven, else the text itself; null where it says that there is none. */
export function commodityName(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const trimmed = text.trim();
  return NO_COMMODITY.has(fold(trimmed)) ? null : (parseCommodity(trimmed) ?? trimmed);
}

/** The same as the options of facility checks have it. */
export function commodityOption(text: string | null | undefined): {
  readonly commodity: Commodity | null;
  readonly commodityText: string | null;
} {
  const name = commodityName(text);
  return { commodity: parseCommodity(name), commodityText: name === null ? null : text!.trim() };
}

/** The end of a sentence about a text that names none of the seven: which one it probably means; empty when none is near. */
export function didYouMean(text: string): string {
  const nearest = nearestCommodity(text);
  return nearest === null ? '' : `; did you mean ${nearest}?`;
}

export function nearestCommodity(text: string): Commodity | null {
  const folded = fold(text);
  const nearest = folded.length < 4 ? null : nearestName(folded, COMPARED);
  return nearest === null ? null : BY_NAME.get(nearest)!;
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function list(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}
