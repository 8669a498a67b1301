/** What the columns of a list of producers are taken for. */
export interface RegistryColumns {
  readonly id: string | null;
  /** The name first, then columns with other names of the same producer. */
  readonly names: readonly string[];
  readonly lon: string | null;
  readonly lat: string | null;
  readonly country: string | null;
}

/** Headers by meaning, folded to letters and digits, best first. */
const HEADERS = {
  id: [
    'umlid',
    'osid',
    'lei',
    'recordid',
    'trasecode',
    'uniqueid',
    'facilityid',
    'millid',
    'registrationnumber',
    'registrynumber',
    'companynumber',
    'licenceno',
    'licenseno',
    'code',
    'id',
    'fid',
    'objectid',
  ],
  names: [
    'millname',
    'facilityname',
    'sitename',
    'plantname',
    'name',
    'producername',
    'suppliername',
    'companyname',
    'legalname',
    'parentcom',
    'parentcompany',
    'company',
    'producer',
    'supplier',
    'operator',
    'alternativ',
    'alternativename',
    'alternativenames',
    'alternatename',
    'othername',
    'othernames',
    'aka',
    'tradename',
    'localname',
    'formername',
    'nom',
    'nombre',
    'nome',
    'nama',
  ],
  lon: ['longitude', 'lon', 'lng', 'long', 'decimallongitude', 'longitud', 'bujur'],
  lat: ['latitude', 'lat', 'decimallatitude', 'latitud', 'lintang'],
  country: ['iso2', 'isoa2', 'countrycode', 'iso3', 'isoa3', 'iso', 'country', 'countryname', 'pais', 'pays', 'negara'],
} as const satisfies Record<keyof RegistryColumns, readonly string[]>;

/** Finds the columns of a list by their headers; a choice of the caller wins. Names are all that is found, in the order of the table. */
export function findColumns(headers: readonly string[], chosen: Partial<RegistryColumns> = {}): RegistryColumns {
  const byFolded = new Map(headers.toReversed().map((header) => [fold(header), header]));
  const first = (wanted: readonly string[]): string | null =>
    wanted.map((folded) => byFolded.get(folded)).find((header) => header !== undefined) ?? null;
  return {
    id: chosen.id ?? first(HEADERS.id),
    names: chosen.names ?? HEADERS.names.map((folded) => byFolded.get(folded)).filter((header) => header !== undefined),
    lon: chosen.lon ?? first(HEADERS.lon),
    lat: chosen.lat ?? first(HEADERS.lat),
    country: chosen.country ?? first(HEADERS.country),
  };
}

/** Every header that a choice names and the list does not have. */
export function missingColumns(headers: readonly string[], chosen: Partial<RegistryColumns>): readonly string[] {
  return Object.values(chosen)
    .flat()
    .filter((header): header is string => typeof header === 'string' && !headers.includes(header));
}

function fold(header: string): string {
  return header.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
