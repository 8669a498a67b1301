/**
 * Headings of each field in German, Italian, Dutch, Japanese, Chinese (simplified and traditional) and Arabic, those of one
 * language on a line. They are folded before they are compared, so case, accents, full-width letters, the Arabic article and
 * letters that are written in two ways do not matter.
 */
export const HEADINGS_BY_LANGUAGE = {
  geometry: list(
    'geometrie, geometrische form, polygon wkt',
    'geometria, poligono',
    'polygoon, veelhoek, perceelsgrens',
    'ジオメトリ, ポリゴン, 形状, 図形, 境界',
    '几何, 幾何, 几何图形, 幾何圖形, 多边形, 多邊形, 边界, 邊界, 矢量边界',
    'المضلع, الشكل الهندسي, الهندسة, حدود القطعة',
  ),
  latitude: list(
    'breitengrad, breite, geografische breite, geographische breite, geogr breite, nördliche breite, breite wgs84',
    'latitudine, latitudine nord, lat nord',
    'breedtegraad, breedte, geografische breedte, noorderbreedte',
    '緯度, 北緯, gps緯度, 緯度 世界測地系',
    '纬度, 緯度, 北纬, 纬度坐标, 中心纬度, gps纬度',
    'خط العرض, دائرة العرض, خطوط العرض, درجة العرض, العرض الجغرافي',
  ),
  longitude: list(
    'längengrad, laengengrad, länge, laenge, geografische länge, geographische länge, geogr länge, östliche länge, länge wgs84',
    'longitudine, longitudine est, lon est',
    'lengtegraad, lengte, geografische lengte, oosterlengte',
    '経度, 東経, gps経度, 経度 世界測地系',
    '经度, 經度, 东经, 東經, 经度坐标, 中心经度, gps经度',
    'خط الطول, خطوط الطول, درجة الطول, الطول الجغرافي',
  ),
  coordinates: list(
    'koordinaten, koordinate, gps koordinaten, gps koordinate, geokoordinaten, gps position, gps punkt, geolokalisierung, geolokation, breite länge, breitengrad längengrad',
    'coordinate gps, coordinate geografiche, geolocalizzazione, posizione gps, posizione, punto gps, latitudine longitudine, latitudine e longitudine',
    'coördinaten, coördinaat, gps coördinaten, gps coördinaat, geolocatie, gps positie, gps locatie, gps punt, breedtegraad lengtegraad',
    '座標, 緯度経度, 緯度 経度, 経緯度, gps座標, 位置座標, 位置情報, 地理座標',
    '坐标, 经纬度, 經緯度, 纬度经度, 经度纬度, 緯度經度, 經度緯度, gps坐标, 地理坐标, 地理座標, 位置坐标',
    'الإحداثيات, إحداثيات الموقع, الإحداثيات الجغرافية, إحداثيات gps, الموقع الجغرافي, خط العرض والطول, خط العرض وخط الطول',
  ),
  easting: list(
    'rechtswert, ostwert, utm ost, utm rechtswert',
    'coordinata est, coordinata x, utm est',
    'x coördinaat, oostwaarde, utm oost',
    'x座標, 東方向距離',
    'x坐标, 东坐标, 東坐標, 横坐标, 橫坐標',
    'الإحداثي السيني, الإحداثي الشرقي, إحداثي x, الشرقيات',
  ),
  northing: list(
    'hochwert, nordwert, utm nord, utm hochwert',
    'coordinata nord, coordinata y',
    'y coördinaat, noordwaarde, utm noord',
    'y座標, 北方向距離',
    'y坐标, 北坐标, 北坐標, 纵坐标, 縱坐標',
    'الإحداثي الصادي, الإحداثي الشمالي, إحداثي y, الشماليات',
  ),
  utm_zone: list(
    'utm streifen, zonenfeld',
    'zona utm, fuso utm',
    'utm zone',
    'utmゾーン, ゾーン, 座標帯',
    '带号, 帶號, utm带号, utm分带',
    'نطاق utm, النطاق',
  ),
  hemisphere: list('hemisphäre, halbkugel', 'emisfero', 'halfrond', '半球', '南北半球', 'نصف الكرة'),
  epsg: list(
    'koordinatensystem, koordinatenbezugssystem, bezugssystem',
    'sistema di coordinate, sistema di riferimento',
    'coördinatenstelsel, coördinatensysteem',
    '座標系, 測地系',
    '坐标系, 坐标系统, 座標系統',
    'نظام الإحداثيات',
  ),
  location_id: list(
    'kennung, nummer, standort id, standortnummer, parzellen id, parzellennummer, parzellen nr, flurstück, flurstücksnummer, feldnummer, feld id, schlagnummer, betriebsnummer, lfd nr, laufende nummer, kennzeichen, referenz',
    'codice, identificativo, codice identificativo, id appezzamento, codice appezzamento, id particella, particella, numero particella, codice sito, codice azienda, riferimento',
    'perceel id, perceelnummer, perceelcode, locatie id, locatienummer, bedrijfsnummer, kenmerk, referentie, identificatie, volgnummer',
    '番号, コード, 識別子, 管理番号, 整理番号, 圃場番号, 圃場コード, 圃場id, 区画番号, 区画id, 農園番号, 農園コード, 農園id, 農家番号, 農家コード, 農家id, 施設番号, 施設コード, 施設id, 拠点コード',
    '编号, 編號, 代码, 代碼, 编码, 編碼, 序号, 标识, 标识符, 地块编号, 地塊編號, 地块代码, 地块id, 地塊id, 农户编号, 農戶編號, 农户id, 农场编号, 农场id, 设施编号, 设施id, 工厂编号',
    'المعرف, الرقم, الرمز, الكود, الرقم التسلسلي, المسلسل, رقم القطعة, رمز القطعة, معرف القطعة, رقم المزرعة, رمز المزرعة, رقم المزارع, معرف الموقع, رقم الموقع, رمز الموقع, رقم التعريف',
  ),
  supplier_name: list(
    'lieferant, lieferantenname, name des lieferanten, erzeuger, erzeugername, name des erzeugers, produzent, name des produzenten, landwirt, name des landwirts, bauer, betrieb, betriebsname, firma, firmenname, unternehmen, eigentümer, inhaber, betreiber, genossenschaft, kooperative, hersteller, pflanzer',
    'fornitore, nome fornitore, nome del fornitore, produttore, nome produttore, nome del produttore, agricoltore, nome agricoltore, nome dell agricoltore, coltivatore, proprietario, azienda, azienda agricola, nome azienda, ragione sociale, società, ditta',
    'leverancier, leveranciersnaam, naam leverancier, naam van de leverancier, producent, naam producent, naam van de producent, teler, naam teler, boer, naam boer, landbouwer, eigenaar, bedrijf, bedrijfsnaam, onderneming, coöperatie, exploitant',
    '生産者, 生産者名, 生産者氏名, サプライヤー, サプライヤー名, 供給者, 供給者名, 供給業者, 供給業者名, 仕入先, 仕入先名, 農家, 農家名, 農業者, 農業者名, 農民, 所有者, 所有者名, 会社, 会社名, 企業名, 事業者, 事業者名, 組合, 組合名, 氏名',
    '供应商, 供应商名称, 供應商, 供應商名稱, 生产者, 生产者名称, 生产者姓名, 生產者, 生產者名稱, 生产商, 生产商名称, 生產商, 农户, 农户姓名, 农户名称, 農戶, 農戶姓名, 农民, 农民姓名, 農民姓名, 种植户, 种植户姓名, 种植者, 種植者, 户主, 户主姓名, 业主, 所有人, 公司, 公司名称, 公司名稱, 企业, 企业名称, 企業名稱, 合作社, 合作社名称, 合作社名稱, 姓名',
    'المورد, اسم المورد, المزارع, اسم المزارع, اسم المنتج, المالك, اسم المالك, صاحب المزرعة, اسم صاحب المزرعة, الشركة, اسم الشركة, التعاونية, اسم التعاونية, الجمعية التعاونية, المشغل, اسم المشغل, الفلاح, اسم الفلاح',
  ),
  name: list(
    'bezeichnung, standortname, standort, name des standorts, betriebsstätte, anlage, anlagenname, name der anlage, werk, werksname, parzelle, parzellenname, name der parzelle, feldname, schlag, schlagname, plantage, hofname, mühle, ölmühle, name der mühle, fabrik',
    'denominazione, nome sito, nome del sito, stabilimento, nome stabilimento, nome dello stabilimento, impianto, nome impianto, appezzamento, nome appezzamento, nome della parcella, piantagione, podere, tenuta, frantoio, fattoria',
    'naam, benaming, locatienaam, naam locatie, naam van de locatie, vestiging, vestigingsnaam, perceel, perceelnaam, naam perceel, boerderij, plantage, fabriek, naam fabriek, molen, naam faciliteit',
    '名称, 名前, 施設, 施設名, 施設名称, 工場, 工場名, 搾油工場, 搾油工場名, 農園, 農園名, 農場, 農場名, 圃場, 圃場名, 拠点, 拠点名, 区画名, 場所名, 地点名',
    '名称, 名稱, 名字, 设施, 设施名称, 設施名稱, 工厂, 工厂名称, 工廠名稱, 加工厂, 加工厂名称, 农场, 农场名称, 農場名稱, 地块, 地块名称, 地塊名稱, 种植园, 种植园名称, 種植園名稱, 基地名称, 站点名称, 地点名称, 场所名称',
    'الاسم, اسم الموقع, المنشأة, اسم المنشأة, المزرعة, اسم المزرعة, اسم القطعة, اسم الحقل, المصنع, اسم المصنع, المعصرة, اسم المعصرة, المطحنة, اسم المطحنة, المستودع, اسم المستودع',
  ),
  production_place: list(
    'produktionsort, erzeugungsort, anbauort, ort der erzeugung, ort der produktion, anbaugebiet',
    'luogo di produzione, sito di produzione, zona di produzione',
    'productieplaats, plaats van productie, productielocatie, teeltplaats',
    '生産地, 生産場所, 産地, 生産地名',
    '产地, 產地, 生产地, 生產地, 生产地点, 生產地點, 生产地名称',
    'مكان الإنتاج, موقع الإنتاج, منطقة الإنتاج',
  ),
  country: list(
    'land, staat, länder, ländercode, laendercode, landescode, ländername, herkunftsland, ursprungsland, erzeugerland, produktionsland, anbauland',
    'paese, nazione, stato, paese di origine, paese d origine, paese di produzione, codice paese, nome paese',
    'landcode, landnaam, land van herkomst, land van oorsprong, land van productie, productieland',
    '国, 国名, 国コード, 国 地域, 生産国, 原産国, 原産地国',
    '国家, 國家, 国别, 國別, 国家名称, 國家名稱, 国家代码, 國家代碼, 国家 地区, 原产国, 原產國, 生产国, 生產國, 来源国',
    'البلد, الدولة, اسم البلد, اسم الدولة, بلد المنشأ, بلد الإنتاج, رمز البلد, رمز الدولة, القطر',
  ),
  admin1: list(
    'bundesland, bundesstaat, provinz, verwaltungsregion, verwaltungsgebiet, gouvernement, staat',
    'regione, regione amministrativa, provincia o regione',
    'provincie, regio, deelstaat, staat',
    '都道府県, 州, 省, 県, 地域, 州 省',
    '省, 省份, 州, 省 州, 州 省, 省市, 省级, 自治区, 自治區, 大区, 大區',
    'المنطقة, الإقليم, المحافظة, الولاية, المقاطعة, الجهة, اسم المنطقة, اسم المحافظة, اسم الولاية',
  ),
  locality: list(
    'gemeinde, ort, ortsname, ortschaft, dorf, stadt, kreis, landkreis, bezirk, distrikt, kommune, siedlung',
    'comune, località, città, villaggio, distretto, frazione, borgo, paese, comunità',
    'gemeente, plaats, plaatsnaam, woonplaats, dorp, stad, gehucht, wijk',
    '市区町村, 市町村, 市, 町, 村, 町村, 村名, 集落, 地区, 地区名, 郡, 自治体',
    '市, 县, 縣, 区, 區, 市县, 县市, 縣市, 区县, 城市, 乡镇, 鄉鎮, 镇, 鎮, 乡, 鄉, 村, 村名, 村庄, 村莊, 村名称, 社区',
    'القرية, اسم القرية, المدينة, البلدة, البلدية, الناحية, القضاء, المركز, الحي, الدائرة, المعتمدية',
  ),
  address: list(
    'anschrift, standortadresse, vollständige adresse, straße, strasse, strasse und hausnummer, lage',
    'indirizzo, indirizzo completo, via, ubicazione, luogo',
    'adres, volledig adres, straat, straatnaam, locatie, ligging, vestigingsadres',
    '住所, 所在地, 所在地住所, 番地',
    '地址, 详细地址, 詳細地址, 住址, 所在地, 所在地址, 位置',
    'العنوان, العنوان الكامل, الشارع, الموقع, عنوان الموقع',
  ),
  location_type: list(
    'typ, art, standorttyp, standortart, art des standorts, anlagentyp, anlagenart',
    'tipologia, tipo di sito, tipo di luogo, tipo di impianto',
    'soort, locatietype, type locatie, soort locatie',
    '種別, 種類, 施設種別, 施設の種類, 拠点種別, 区分, タイプ',
    '类型, 類型, 类别, 類別, 设施类型, 設施類型, 地点类型, 场所类型',
    'النوع, نوع الموقع, نوع المنشأة',
  ),
  commodity_type: list(
    'rohstoff, agrarrohstoff, erzeugnis, relevantes erzeugnis, produkt, ware, kultur, anbaukultur, feldfrucht, nutzpflanze',
    'materia prima, prodotto, coltura, coltivazione, merce, tipo di prodotto, tipo di coltura',
    'grondstof, gewas, teelt, handelswaar, productsoort, gewassoort',
    '品目, 作物, 作物名, 産品, 商品, 農産物, 製品, 原料, 原材料, コモディティ',
    '商品, 商品名称, 大宗商品, 作物, 作物类型, 作物名称, 作物種類, 产品, 產品, 产品名称, 品种, 品種, 农产品, 農產品, 原料, 原材料',
    'السلعة, نوع السلعة, المحصول, نوع المحصول, المنتج, نوع المنتج, المادة الخام, الصنف',
  ),
  area: list(
    'fläche, flaeche, fläche ha, flaeche ha, fläche in ha, fläche hektar, fläche in hektar, hektar, größe, groesse, größe ha, anbaufläche, parzellenfläche, parzellengröße, gesamtfläche, grundfläche, betriebsgröße',
    'superficie in ettari, superficie coltivata, superficie totale, ettari, estensione, dimensione',
    'oppervlakte, oppervlakte ha, oppervlakte in ha, oppervlakte hectare, oppervlakte in hectare, perceelsoppervlakte, perceelgrootte, grootte, areaal, hectaren',
    '面積, 面積 ha, 面積 ヘクタール, 栽培面積, 作付面積, 圃場面積, 農地面積, 耕地面積, 総面積, ヘクタール',
    '面积, 面積, 面积 公顷, 面積 公頃, 面积 亩, 种植面积, 種植面積, 地块面积, 地塊面積, 土地面积, 耕地面积, 占地面积, 总面积, 總面積, 公顷, 公頃, 亩, 畝, 亩数',
    'المساحة, المساحة بالهكتار, مساحة الأرض, مساحة القطعة, مساحة المزرعة, الهكتار, الهكتارات, الدونم, الفدان',
  ),
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Those of the headings above that count as a whole heading alone, because they stand in headings of every kind: "Land" in
 * "Land area", "Länge" in a length in metres.
 */
export const WEAK_WORDS: readonly string[] = list(
  'land, staat, art, typ, lage, ort, breite, länge, laenge, nummer, werk, anlage, betrieb, standort, kreis',
  'via, stato, luogo, posizione, paese, codice, dimensione',
  'naam, regio, soort, plaats, lengte, breedte, bedrijf, locatie, kenmerk',
  '番号, コード, 名称, 名前, 氏名, 種類, 種別, 区分, 市, 町, 村, 国, 州, 省, 県',
  '编号, 編號, 代码, 代碼, 编码, 編碼, 序号, 标识, 名称, 名稱, 名字, 姓名, 类型, 類型, 类别, 類別, 位置, 市, 县, 縣, 区, 區, 镇, 乡, 原料',
  'الاسم, الرقم, الرمز, الكود, النوع, الموقع, المركز, المنطقة',
);

/** Words that make a heading one of a trait of a producer or place, as `TRAIT_WORDS` has them for other languages. */
export const TRAIT_HEADINGS: readonly string[] = list(
  'telefon, nummer, kontakt, typ, alter, geschlecht, ort, gemeinde, datum, jahr, preis, anzahl, menge, ertrag, kapazität, zertifikat',
  'cellulare, codice, numero, età, sesso, anno, prezzo, paese, comune, resa, capacità, certificato',
  'telefoon, nummer, leeftijd, geslacht, datum, jaar, prijs, aantal, opbrengst, capaciteit, certificaat, plaats, gemeente',
  'الهاتف, الرقم, رقم, الجنس, العمر, التاريخ, السعر, العدد, النوع, البلد, الرمز',
);

function list(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(', '));
}
