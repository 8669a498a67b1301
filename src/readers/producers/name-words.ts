/*
 * The words by which names of producers are made comparable, after transliteration to lower-case ASCII. Sources: legal
 * forms as ISO 20275 lists them for the producing countries and their buyers; words and abbreviations as they stand in
 * mill lists of Indonesia, Malaysia, Latin America and West Africa.
 */

/** Legal forms in scripts that do not part words, removed before transliteration. */
export const NATIVE_LEGAL_FORMS = [
  '股份有限公司',
  '有限责任公司',
  '有限公司',
  '株式会社',
  '有限会社',
  '주식회사',
  '유한회사',
  'บริษัท',
  'จำกัด',
  '(มหาชน)',
  'มหาชน',
  'ห้างหุ้นส่วน',
  'ບໍລິສັດ',
  'ຈຳກັດ',
  'ក្រុមហ៊ុន',
] as const;

/** Legal forms of several words, longest first; a space parts the words. */
export const LEGAL_PHRASES = [
  'sociedad anonima de capital variable',
  'sociedad por acciones simplificada',
  'sociedad de responsabilidad limitada',
  'sociedade anonima',
  'sociedad anonima',
  'societe anonyme',
  'societe a responsabilite limitee',
  'societe cooperative avec conseil d administration',
  'limited liability company',
  'public limited company',
  'private limited',
  'sendirian berhad',
  'perseroan terbatas',
  'perseroan komanditer',
  'cong ty co phan',
  'cong ty tnhh mtv',
  'cong ty tnhh',
  'cong ty',
  'besloten vennootschap',
  'sdn bhd',
  'pte ltd',
  'pvt ltd',
  'co ltd',
  'sa de cv',
  's de rl de cv',
  's de rl',
  'coop ca',
  'scoop ca',
  'scoops',
] as const;

/** Legal forms of one word, removed from both ends of a name. */
export const LEGAL_FORMS: ReadonlySet<string> = new Set(
  (
    'pt cv ud pd tbk persero perum perumda bhd berhad sdn plt pte pty pvt ltd limited ltda limitada lda ' +
    'llc llp lp inc incorporated corp plc co company sa sas sasu sarl sarlu suarl eurl snc gie sl slu ' +
    'srl spa sapi sac saa eirl eireli epp me sca scrl ca cia bv nv gmbh ag kg ohg ug ab as oy oyj aps ' +
    'ooo zao oao pao ao jsc ojsc cjsc tnhh jv kk yk sociedad societe ste ets'
  ).split(' '),
);

/** One word for the many of one meaning: abbreviations, plurals, spellings, languages. Several words stand for one where needed. */
export const SAME_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    pks: 'palm oil mill',
    pom: 'palm oil mill',
    pmks: 'palm oil mill',
    kks: 'palm oil mill',
    cpo: 'palm oil',
    pko: 'palm kernel oil',
    kcp: 'kernel crushing plant',
    kilang: 'mill',
    pabrik: 'mill',
    usine: 'mill',
    factory: 'mill',
    fabrica: 'mill',
    mills: 'mill',
    molino: 'mill',
    huilerie: 'oil mill',
    extractora: 'mill',
    beneficio: 'mill',
    sawit: 'palm',
    palma: 'palm',
    palmas: 'palm',
    palms: 'palm',
    palme: 'palm',
    minyak: 'oil',
    aceite: 'oil',
    aceites: 'oil',
    oleo: 'oil',
    huile: 'oil',
    oils: 'oil',
    plantations: 'plantation',
    pltn: 'plantation',
    plntn: 'plantation',
    plant: 'plantation',
    perkebunan: 'plantation',
    kebun: 'plantation',
    plantacion: 'plantation',
    plantaciones: 'plantation',
    plantacoes: 'plantation',
    estates: 'estate',
    est: 'estate',
    ladang: 'estate',
    industries: 'industry',
    industri: 'industry',
    industria: 'industry',
    industrias: 'industry',
    industrie: 'industry',
    ind: 'industry',
    inds: 'industry',
    intl: 'international',
    internacional: 'international',
    internasional: 'international',
    mfg: 'manufacturing',
    coop: 'cooperative',
    koperasi: 'cooperative',
    cooperativa: 'cooperative',
    kop: 'cooperative',
    coops: 'cooperative',
    asoc: 'association',
    assoc: 'association',
    asociacion: 'association',
    dev: 'development',
    devt: 'development',
    hldg: 'holding',
    hldgs: 'holding',
    holdings: 'holding',
    grup: 'group',
    grupo: 'group',
    groupe: 'group',
    bros: 'brothers',
    agropec: 'agropecuaria',
    agroind: 'agroindustry',
    agroindustria: 'agroindustry',
    agroindustrias: 'agroindustry',
    agroindustries: 'agroindustry',
    agroindustri: 'agroindustry',
    exp: 'export',
    exports: 'export',
    exportadora: 'export',
    exportacion: 'export',
    hda: 'hacienda',
    hcda: 'hacienda',
    fca: 'finca',
    sg: 'sungai',
    sei: 'sungai',
    sungei: 'sungai',
    bkt: 'bukit',
    tg: 'tanjung',
    tj: 'tanjung',
    tanjong: 'tanjung',
    kpg: 'kampung',
    kampong: 'kampung',
    seri: 'sri',
    sta: 'santa',
    sto: 'santo',
    cacao: 'cocoa',
    cacau: 'cocoa',
    cafe: 'coffee',
    kopi: 'coffee',
    karet: 'rubber',
    getah: 'rubber',
    caoutchouc: 'rubber',
    madera: 'timber',
    maderas: 'timber',
    madeiras: 'timber',
    kayu: 'timber',
    bois: 'timber',
    soja: 'soy',
    soya: 'soy',
    ii: '2',
    iii: '3',
    iv: '4',
    vi: '6',
    vii: '7',
    viii: '8',
    ix: '9',
  }).map(([word, same]) => [word, same.split(' ')]),
);

/** Phrases that become others before single words are looked at. */
export const SAME_PHRASES: readonly (readonly [string, string])[] = [
  ['pabrik kelapa sawit', 'palm oil mill'],
  ['kilang kelapa sawit', 'palm oil mill'],
  ['kilang sawit', 'palm oil mill'],
  ['kelapa sawit', 'palm'],
  ['extractora de aceite de palma', 'palm oil mill'],
  ['planta extractora', 'mill'],
  ['palmier a huile', 'palm'],
  ['oil palm', 'palm oil'],
  ['palmoil', 'palm oil'],
];

/** Joining words. They weigh next to nothing. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'and the of de del la las le les el los da do dos das du des et y e dan di van der d l'.split(' '),
);

/** Words of the trade, which many names share. They weigh little. */
export const TRADE_WORDS: ReadonlySet<string> = new Set(
  (
    'palm oil mill kernel crushing plantation estate industry agro agri agricultural agriculture agricola agroindustry agropecuaria group holding ' +
    'international development resources trading export import cooperative association manufacturing products production processing ' +
    'enterprise enterprises corporation coffee cocoa rubber timber soy cattle wood lumber sawmill hacienda finca fazenda ' +
    'farm farms farmers refinery edible bio energy mandiri unit'
  ).split(' '),
);

/** Words that names of places and good wishes share. They weigh half. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'sri sungai bukit tanjung kampung kuala ulu batu air tanah new san santa santo jaya makmur sejahtera lestari utama abadi indah ' +
    'indo nusantara sumber karya bumi mas north south east west utara selatan timur barat norte sur nova nuevo nueva union'
  ).split(' '),
);
