export type LocationType = 'facility' | 'plot';

/** Words of what is a facility and what is a plot, folded, in the languages of the column names. */
const FACILITY =
  /facilit|\bmill|warehouse|silo|aggregation|factory|depot|collection (point|cent)|buying (station|point|cent)|washing station|processing|processor|\bplants?$|\bplant (name|id|code|no|number)\b|slaughter|abattoir|refiner|crusher|sawmill|tannery|port\b|acopio|benefici|bodega|almacen|planta\b|fabrica|molino|ingenio|trilladora|matadero|armazem|usina|moinho|serraria|frigorifico|entrepot|usine|magasin|moulin|huilerie|scierie|pabrik|kilang|gudang|penggilingan|pengumpul|kho\b|nha may|\b(ol)?muhle|oelmuehle|\blager(haus|halle)?\b|fabrik|verarbeitung|sammelstelle|aufkaufstelle|schlachthof|saegewerk|sagewerk|\bwerk\b|frantoio|stabilimento|impianto|magazzino|molino|mulino|macello|segheria|\bmolen|oliemolen|fabriek|magazijn|pakhuis|slachthuis|zagerij|verzamelpunt|工場|倉庫|集荷|搾油|製材所|加工場|精米所|工厂|工廠|仓库|倉庫|加工厂|加工廠|收购站|收购点|榨油厂|锯木厂|屠宰场|مصنع|مطحنه?|معصره?|مستودع|مخزن|مسلخ|مركز تجميع|محطه? تجميع|منشاه?|โรงงาน|โรงส|โกดง|คลงสนคา|ลานเท/;
const PLOT =
  /\bplot|parcel|\bfield|\bfarm|point of production|plantation|estate|ranch|orchard|smallholding|concession|finca|hacienda|\blote|parcela|predio|fazenda|sitio|talhao|parcelle|champ|ferme|kebun|ladang|lahan|persil|thua|nong trai|vuon|parzelle|flurstuck|flurstueck|\bfeld|schlag\b|plantage|\bhof\b|appezzamento|\bcampo\b|piantagione|podere|tenuta|perceel|\bakker|boerderij|圃場|農園|農場|畑|区画|地块|地塊|农场|种植园|種植園|田块|果园|مزرعه?|قطعه?|حقل|بستان|แปลง|สวน|ไร/;

/** Facility or plot by the words of a heading or of a stated type; null when it says neither or both. */
export function parseLocationType(text: string): LocationType | null {
  const folded = fold(text);
  return onlyOne(FACILITY.test(folded), PLOT.test(folded));
}

/**
 * Whole words, folded, by which the name of a place says what it is: English, Spanish, French, Portuguese, Indonesian and Malay,
 * Vietnamese. Plantation, perkebunan and estate are missing on purpose: companies that run mills are called so too.
 */
const NAME_WORDS = {
  facility: [
    'mills?|oil mill|sawmills?|pom|refiner(y|ies)|factor(y|ies)|warehouses?|silos?|depots?|crushers?|crushing plant|processing plant|plant',
    'processing (unit|cent(er|re)|facility)|washing station|wet mill|dry mill|drying station|buying (station|cent(er|re)|point)',
    'collection (cent(er|re)|point)|aggregation (cent(er|re)|point)|slaughterhouse|abattoir|feedlot|tanner(y|ies)|ginner(y|ies)|godown',
    'beneficiadero|beneficio|beneficiadora|bodega|almacen|centro de acopio|acopio|planta|extractora|fabrica|molino|ingenio|trapiche',
    'trilladora|despulpadora|secadora|aserradero|curtiembre|matadero|silo|refineria',
    'usine|huilerie|scierie|entrepot|magasin|moulin|abattoir|raffinerie|fabrique|station de lavage|centre de collecte|depot',
    'usina|armazem|moinho|serraria|frigorifico|abatedouro|esmagadora|graneleiro|beneficiamento|curtume|secador|entreposto',
    'pabrik|kilang|pks|gudang|penggilingan|pengumpul|pengepul|penampungan|rph|huller',
    'nha may|nha kho|kho|xuong|lo mo',
  ],
  plot: [
    'farms?|fields?|plots?|parcels?|ranch|orchards?|smallholding|concession|garden',
    'finca|hacienda|lote|parcela|predio|rancho|chacra|huerto|granja|potrero',
    'ferme|champ|parcelle|verger|domaine',
    'fazenda|sitio|talhao|chacara|roca|gleba|estancia',
    'kebun|ladang|lahan|sawah|persil',
    'nong trai|vuon|thua dat|trang trai|ray',
  ],
} as const satisfies Readonly<Record<LocationType, readonly string[]>>;
const THAI = { facility: /โรงงาน|โรงส|โกดง|คลงสนคา|ลานเท/, plot: /แปลง|สวน/ } as const;

/** Words of ASCII with single spaces between them, which folding changes in nothing but their case. */
const FOLDED = /^[!-,./-^`-~]+(?: [!-,./-^`-~]+)*$/;

const [FACILITY_NAME, PLOT_NAME] = [NAME_WORDS.facility, NAME_WORDS.plot].map(
  (words) => new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})(?![\\p{L}\\p{N}])`, 'u'),
);
/** The same for names of ASCII, with fewer letters to distinguish. */
const [FACILITY_ASCII, PLOT_ASCII] = [NAME_WORDS.facility, NAME_WORDS.plot].map(
  (words) => new RegExp(`\\b(${words.join('|')})\\b`),
);

/** Facility or plot by the words of a place's own name; null when it says neither or both. */
export function typeOfName(name: string): LocationType | null {
  if (FOLDED.test(name) && name.length <= 500) {
    const words = name.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ');
    return onlyOne(FACILITY_ASCII.test(words), PLOT_ASCII.test(words));
  }
  const folded = fold(name).replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
  return onlyOne(
    FACILITY_NAME.test(folded) || THAI.facility.test(folded),
    PLOT_NAME.test(folded) || THAI.plot.test(folded),
  );
}

function onlyOne(isFacility: boolean, isPlot: boolean): LocationType | null {
  if (isFacility === isPlot) return null;
  return isFacility ? 'facility' : 'plot';
}

function fold(text: string): string {
  if (FOLDED.test(text) && text.length <= 500) return text.toLowerCase();
  return text
    .slice(0, 500)
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('đ', 'd')
    .replaceAll(/[_\s-]+/g, ' ')
    .trim();
}
