import type { Collection } from '../collection.ts';
import type { PlotRecord } from '../plot-record.ts';
import type { Finding } from './finding.ts';
import { isRecord } from '../../is-record.ts';

/** What a record says of a plot, as far as a statement or its audit trail needs. */
export interface PlotFacts {
  /** The feature's own id, else the id of the location; null when it has neither. */
  readonly id: string | number | null;
  readonly name: string | null;
  readonly producerName: string | null;
  /** As it stands in the record: not yet known to be a code. */
  readonly country: string | null;
  readonly productionPlace: string | null;
  /** Hectares stated or measured; null when unknown. */
  readonly areaHa: number | null;
  /** Where each value of a statement comes from, in words: `column Farmer`; null where there is none or it was not recorded. */
  readonly from: Readonly<Record<StatementValue, string | null>>;
  readonly commodity: string | null;
  readonly scientificName: string | null;
  /** How exact the place of an address is, where the geometry was looked up; null where the file has coordinates. */
  readonly lookedUp: string | null;
  /** Of the plot, from columns of the file; null without a postal code or a city. */
  readonly address: PostalAddress | null;
  /** Cadastral identifiers of the plot, from a column of the file. */
  readonly cadastral: readonly string[];
  /** Row of the file. */
  readonly sourceRow: number | null;
  readonly warnings: readonly PlotWarning[];
  /** What became of the checks of validation; empty without it. */
  readonly checks: readonly { readonly check: string; readonly status: string; readonly detail: string }[];
  /** What reading the properties itself found. */
  readonly findings: readonly Finding[];
}

/** A postal address as a simplified declaration takes it. */
export interface PostalAddress {
  readonly producerStreet: string | null;
  readonly producerPostalCode: string;
  readonly producerCity: string;
}

/** How a declaration says where a plot is: in one of three ways. */
export type DeclaredPlace =
  | { readonly kind: 'geometry' }
  | { readonly kind: 'address'; readonly address: PostalAddress }
  | { readonly kind: 'cadastral'; readonly identifiers: readonly string[] };

/** Addresses or identifiers of one producer in the V3 service. */
export const PLACES_OF_PRODUCER = 100;

interface PlotWarning {
  readonly code: string;
  readonly message: string;
}

/** The properties the EU information system reads, in its spelling. */
const STATEMENT_VALUES = ['ProducerName', 'ProducerCountry', 'ProductionPlace', 'Area'] as const;
type StatementValue = (typeof STATEMENT_VALUES)[number];

type Properties = Readonly<Record<string, unknown>>;

/** Characters of a text that is kept. */
const MAX_TEXT = 500;

/** Reads the properties of a normalised location; what is of another type than expected is passed over. */
export function readPlot({ feature }: PlotRecord, { options, file }: Pick<Collection, 'options' | 'file'>): PlotFacts {
  const { properties } = feature;
  const eudr = objectOf(properties['eudr']);
  const source = objectOf(properties['source']);
  const findings: Finding[] = [];
  const locationId = properties['location_id'];
  return {
    id: feature.id ?? (typeof locationId === 'number' ? locationId : text(locationId)),
    name: text(properties['name']),
    producerName: producerOf(properties, eudr),
    country: text(eudr['ProducerCountry']) ?? text(properties['country_code']) ?? text(properties['country']),
    productionPlace: text(eudr['ProductionPlace']),
    areaHa: areaOf(eudr['Area'] ?? properties['area_ha'], /json$/i.test(file.name) ? source['Area'] : null, findings),
    from: originsOf(objectOf(properties['eudr_origin'])),
    commodity: text(properties['commodity_type']) ?? options?.cropType ?? null,
    scientificName: scientificNameOf(source),
    lookedUp:
      properties['geometry_source'] === 'geocoded' ? (text(properties['geocode_precision']) ?? 'unknown') : null,
    address: addressOf(source),
    cadastral: cadastralOf(source),
    sourceRow: typeof properties['source_row'] === 'number' ? properties['source_row'] : null,
    warnings: listOf(properties['warnings']).flatMap((entry) => {
      const { code, message } = objectOf(entry);
      return typeof code === 'string' && typeof message === 'string' ? [{ code, message }] : [];
    }),
    checks: listOf(properties['plot_checks']).flatMap((entry) => {
      const { check, status, detail } = objectOf(entry);
      return typeof check === 'string' ? [{ check, status: String(status), detail: text(detail) ?? '' }] : [];
    }),
    findings,
  };
}

/** What a value comes from that is not of a column. */
const ORIGINS: Readonly<Record<string, string>> = {
  request: 'the request',
  position: 'the place of the coordinates',
  geometry: 'the measured outline',
  geocoding: 'the place found by its address',
};

function originsOf(origins: Properties): PlotFacts['from'] {
  const inWords = (name: StatementValue): string | null => {
    const { from, column } = objectOf(origins[name]);
    const heading = text(column);
    return from === 'column' && heading !== null ? `column ${heading}` : (ORIGINS[String(from)] ?? null);
  };
  const words = STATEMENT_VALUES.map((name) => [name, inWords(name)] as const);
  return Object.fromEntries(words) as Record<StatementValue, string | null>;
}

/** Records of earlier releases, which name no origins, took the name of a plot for its producer where the file had none. */
function producerOf(properties: Properties, eudr: Properties): string | null {
  const isPlotName = properties['eudr_origin'] === undefined && properties['supplier_name'] === null;
  return isPlotName ? null : (text(eudr['ProducerName']) ?? text(properties['supplier_name']));
}

/** An area written as text in a GeoJSON file would be taken for 0 by the information system; ours is a number. */
function areaOf(value: unknown, original: unknown, findings: Finding[]): number | null {
  const isText = typeof value === 'string' || (typeof original === 'string' && original.trim() !== '');
  const area = typeof value === 'string' ? Number(value.trim() === '' ? NaN : value.trim().replace(',', '.')) : value;
  const isNumber = typeof area === 'number' && Number.isFinite(area);
  if (isText)
    findings.push({
      rule: 'area-as-text',
      detail: isNumber
        ? 'Area stood as text, which counts as 0; it is written as a number.'
        : 'Area is a text that is no number; it was left out.',
      fixed: true,
    });
  return isNumber ? area : null;
}

/** Only what the file states: a species is never guessed from a commodity. */
function scientificNameOf(source: Properties): string | null {
  const key = Object.keys(source).find((name) =>
    /^(scientific|latin|botanical)[\s_-]?name$|^species$/i.test(name.trim()),
  );
  return key === undefined ? null : text(source[key]);
}

const STREET =
  /^(producer|plot|farm)?[\s_-]*(street|street[\s_-]?address|street[\s_-]?name|rue|calle|rua|stra(ß|ss)e)$/i;
const POSTAL_CODE =
  /^(producer|plot|farm)?[\s_-]*(post(al)?[\s_-]?code|zip([\s_-]?code)?|plz|code[\s_-]?postal|c[oó]digo[\s_-]?postal|cep)$/i;
const CITY = /^(producer|plot|farm)?[\s_-]*(city|town|municipality|ville|commune|ciudad|municipio|cidade|ort)$/i;
const CADASTRAL =
  /^(cadastr(e|al)[\s_-]?(id|identifier|number|no|ref|reference)|parcel[\s_-]?(id|identifier|number|no|ref|reference)|land[\s_-]?parcel)$/i;

/** Lengths the V3 service takes. */
const ADDRESS_LENGTHS = { street: 300, postalCode: 80, city: 200 } as const;
const CADASTRAL_LENGTH = 80;

/** A column by its own name, as text; numbers are postal codes and identifiers too. */
function columnOf(source: Properties, name: RegExp, length: number): string | null {
  const key = Object.keys(source).find((one) => name.test(one.trim()));
  const value = key === undefined ? null : source[key];
  const clean = text(typeof value === 'number' ? String(value) : value);
  return clean === null || clean.length > length ? null : clean;
}

/** An address is never put together from the name of a place or a region. */
function addressOf(source: Properties): PostalAddress | null {
  const postalCode = columnOf(source, POSTAL_CODE, ADDRESS_LENGTHS.postalCode);
  const city = columnOf(source, CITY, ADDRESS_LENGTHS.city);
  if (postalCode === null || city === null) return null;
  const street = columnOf(source, STREET, ADDRESS_LENGTHS.street);
  return { producerStreet: street, producerPostalCode: postalCode, producerCity: city };
}

/** Several are parted by semicolons or bars; one that is too long, or more than a producer takes, makes all of them unusable. */
function cadastralOf(source: Properties): readonly string[] {
  const value = columnOf(source, CADASTRAL, MAX_TEXT) ?? '';
  const all = [...new Set(value.split(/[;|]/).map((one) => one.trim()))].filter((one) => one !== '');
  return all.length <= PLACES_OF_PRODUCER && all.every((one) => one.length <= CADASTRAL_LENGTH) ? all : [];
}

/** A text of printable ASCII without blanks around it, which cleaning leaves as it is. */
const CLEAN = /^[!-~](?:[ -~]*[!-~])?$/;

function text(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (value.length <= MAX_TEXT && CLEAN.test(value)) return value;
  const clean = value
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .normalize('NFC');
  return clean === '' ? null : clean;
}

function objectOf(value: unknown): Properties {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
