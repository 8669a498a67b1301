/** Words of addresses, as keys, that are names of small places somewhere and hardly ever mean them. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `the and for near with new old east west north south central centre center city town village district county province state region zone area park estate industrial industry industries export processing economic development technology high hitech main street road avenue lane highway block building floor plot lot unit phase sector gate house office tower complex plaza mall station port market bridge hill lake river farm mill plant factory company limited ltd pvt private corp group international trading enterprise enterprises garments garment apparel apparels textile textiles fashion shoes footwear sweater sweaters knit knitting wear national university college school hospital bank post box code tel fax attn floor ground first second third no number via dan des les los las del san santa
  desa kecamatan kabupaten kota jalan raya dusun provinsi barrio zona calle avenida carretera parque edificio colonia municipio departamento provincia rue route quartier cite boite postale immeuble rua bairro rodovia estrada distrito
  kec kab prov jln road bazar bazaar police thana upazila sadar khan sangkat phum srok commune natinal company cooperative union mills group house home dhaniyal company lda ltda srl sarl industriale area`.split(
    /\s+/,
  ),
);

/** Words after the name of a settlement. */
export const AFTER_PLACE: ReadonlySet<string> = new Set(
  'city town village township county district municipality shi xian zhen cun sadar upazila taluk mandal tehsil commune'.split(
    ' ',
  ),
);

/** Words before the name of a settlement. */
export const BEFORE_PLACE: ReadonlySet<string> = new Set(
  'city town village municipality municipio ciudad ville commune cidade desa kota kabupaten kab kecamatan kec kelurahan xa huyen quan tinh ban tambon amphoe changwat phum khum srok khan'.split(
    ' ',
  ),
);

/** Words before or after the name of a district rather than of a town. */
export const DISTRICT_WORDS: ReadonlySet<string> = new Set(
  'district dist county regency kabupaten kab kecamatan kec distrito canton huyen amphoe srok upazila thana taluk taluka mandal tehsil zila xian rayon'.split(
    ' ',
  ),
);

/** Words before or after the name of a region. */
export const REGION_WORDS: ReadonlySet<string> = new Set(
  'province prov provinsi propinsi provincia provinz region estado state department departamento departement division governorate oblast prefecture sheng negeri tinh changwat jangwat of de del da do'.split(
    ' ',
  ),
);

/** Words next to the name of a street. */
export const STREET_WORDS: ReadonlySet<string> = new Set(
  'road rd street st avenue ave av lane highway hwy way drive dr boulevard blvd jalan jl jln calle carrera carretera rue route rua avenida estrada duong via bridge marg'.split(
    ' ',
  ),
);
