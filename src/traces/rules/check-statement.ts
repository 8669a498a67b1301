import { TRACES_LIMITS } from '../interface-v3.ts';
import type { DdsCommodity, DdsProducer, Filing, SdCommodity, SdProducer } from '../messages/statement.ts';
import { isXmlText } from '../xml/write-xml.ts';
import { checkOperator } from './check-operator.ts';
import { checkQuantity } from './check-quantity.ts';
import { checkText, quoted } from './check-text.ts';
import { issueOf, type FilingIssue, type Report } from './filing-issues.ts';
import { ACTIVITY_TYPES, EU_COUNTRIES, isAtBorder, OPERATOR_ROLES, PATTERNS, TEXT_LENGTHS } from './simple-types.ts';

/** Issues of one kind and field family that are listed one by one; more are counted in the last of them. */
const MAX_ISSUES = 500;

/**
 * Everything that stands between a statement and the service: what is missing, what breaks the schema of the interface,
 * and its business rules as far as they are known (see docs/filing.md for their sources). In the order of the message, at
 * most {@link MAX_ISSUES}. An empty list is no promise that the service takes it.
 */
export function checkFiling(filing: Filing): readonly FilingIssue[] {
  const found: FilingIssue[] = [];
  const report: Report = (code, field, detail) => {
    if (found.length < MAX_ISSUES) found.push(issueOf(code, field, detail));
  };
  checkRole(filing, report);
  checkHead(filing, report);
  checkOperator(filing, report);
  checkCommodities(filing, report);
  const { geoLocationConfidential: confidential } = filing.statement;
  if (typeof confidential !== 'boolean')
    report('confidentiality_missing', 'statement.geoLocationConfidential', 'wanted true or false, got nothing');
  checkGrouped(filing, report);
  return found;
}

function checkRole({ kind, operatorRole }: Filing, report: Report): void {
  const roles: readonly string[] = OPERATOR_ROLES[kind];
  if (!operatorRole) report('role_missing', 'operatorRole', `wanted one of ${roles.join(', ')}, got nothing`);
  else if (!roles.includes(operatorRole))
    report('role_invalid', 'operatorRole', `wanted one of ${roles.join(', ')}, got ${quoted(operatorRole)}`);
}

function checkHead({ kind, statement }: Filing, report: Report): void {
  const { activityType: activity } = statement;
  if (!activity)
    report('activity_missing', 'statement.activityType', `wanted one of ${ACTIVITY_TYPES.join(', ')}, got nothing`);
  else if (!(ACTIVITY_TYPES as readonly string[]).includes(activity))
    report(
      'activity_invalid',
      'statement.activityType',
      `wanted one of ${ACTIVITY_TYPES.join(', ')}, got ${quoted(activity)}`,
    );
  // A micro operator outside the Union has no country of the list and leaves it out.
  if (kind === 'dds' && !statement.countryOfActivity)
    report('country_of_activity_missing', 'statement.countryOfActivity', 'wanted a member state or XI, got nothing');
  if (kind === 'dds' && isAtBorder(activity) && !statement.borderCrossCountry)
    report('border_country_missing', 'statement.borderCrossCountry', 'wanted a member state or XI, got nothing');
  for (const name of ['countryOfActivity', 'borderCrossCountry'] as const) {
    const country = statement[name];
    if (country && !EU_COUNTRIES.includes(country))
      report(
        'eu_country_invalid',
        `statement.${name}`,
        `wanted one of ${EU_COUNTRIES.join(' ')}, got ${quoted(country)}`,
      );
  }
  checkText(
    statement.internalReferenceNumber,
    TEXT_LENGTHS.internalReference[kind],
    'statement.internalReferenceNumber',
    report,
  );
  checkText(statement.comment, TEXT_LENGTHS.comment, 'statement.comment', report);
}

function checkCommodities(filing: Filing, report: Report): void {
  const commodities = filing.statement.commodities ?? [];
  const { length } = commodities;
  const field = 'statement.commodities';
  if (length === 0) report('commodities_missing', field, 'wanted at least 1 commodity, got 0');
  if (length > TRACES_LIMITS.commodities)
    report('too_many_commodities', field, `wanted at most ${TRACES_LIMITS.commodities} commodities, got ${length}`);
  else if (length > TRACES_LIMITS.commoditiesOfText)
    report('many_commodities', field, `${length} commodities; surely taken are ${TRACES_LIMITS.commoditiesOfText}`);
  const totals = { producers: 0, bytes: 0 };
  for (const [i, commodity] of commodities.entries())
    checkCommodity(filing, commodity, `${field}[${i}]`, totals, report);
  const { producers: most, geodataBytes } = TRACES_LIMITS;
  if (totals.producers > most)
    report('too_many_producers', field, `wanted at most ${most} producers in all, got ${totals.producers}`);
  if (totals.bytes > geodataBytes)
    report(
      'geodata_too_large',
      field,
      `wanted at most ${geodataBytes} bytes of geodata as Base64, got ${totals.bytes}`,
    );
  if (length > 0 && totals.producers === 0 && (filing.statement.groupedDeclarations ?? []).length === 0)
    report(
      'producers_missing',
      field,
      'wanted at least one producer with a place, or grouped declarations, got neither',
    );
}

interface Totals {
  producers: number;
  bytes: number;
}

function checkCommodity(
  filing: Filing,
  commodity: DdsCommodity | SdCommodity,
  at: string,
  totals: Totals,
  report: Report,
): void {
  const { hsHeading: heading, descriptors } = commodity;
  if (!heading) report('heading_missing', `${at}.hsHeading`, 'wanted 2 to 6 digits, got nothing');
  else if (!PATTERNS.heading.test(heading))
    report('heading_invalid', `${at}.hsHeading`, `wanted 2 to 6 digits, got ${quoted(heading)}`);
  const description = `${at}.descriptors.descriptionOfGoods`;
  if (!descriptors?.descriptionOfGoods?.trim())
    report('description_missing', description, 'wanted a text, got nothing');
  checkText(descriptors?.descriptionOfGoods, TEXT_LENGTHS.descriptionOfGoods, description, report);
  checkQuantity(descriptors?.goodsMeasure ?? {}, heading ?? '', filing.statement.activityType, at, report);
  if (filing.kind === 'dds') checkSpecies(commodity as DdsCommodity, at, report);
  const producers = commodity.producers ?? [];
  totals.producers += producers.length;
  if (producers.length > TRACES_LIMITS.producersOfCommodity)
    report(
      'too_many_producers',
      `${at}.producers`,
      `wanted at most ${TRACES_LIMITS.producersOfCommodity} producers of one commodity, got ${producers.length}`,
    );
  for (const [i, producer] of producers.entries())
    totals.bytes +=
      filing.kind === 'dds'
        ? checkDdsProducer(producer as DdsProducer, `${at}.producers[${i}]`, report)
        : checkSdProducer(producer as SdProducer, `${at}.producers[${i}]`, report);
}

function checkSpecies({ hsHeading, speciesInfo }: DdsCommodity, at: string, report: Report): void {
  const species = speciesInfo ?? [];
  const isWood = /^(44|47|48|9401|9403|9406)/.test(hsHeading ?? '');
  if (isWood && species.length === 0)
    report('species_missing', `${at}.speciesInfo`, 'wanted at least one species, got none');
  if (species.length > TRACES_LIMITS.speciesOfCommodity)
    report(
      'species_invalid',
      `${at}.speciesInfo`,
      `wanted at most ${TRACES_LIMITS.speciesOfCommodity} species, got ${species.length}`,
    );
  const seen = new Set<string>();
  for (const [i, { scientificName, commonName }] of species.entries()) {
    const field = `${at}.speciesInfo[${i}]`;
    if (isWood && (!scientificName || !commonName))
      report('species_incomplete', field, `wanted both names, got ${quoted(scientificName ?? commonName ?? '')}`);
    const key = `${scientificName ?? ''}\n${commonName ?? ''}`.toLowerCase();
    if (seen.has(key))
      report('species_invalid', field, `wanted each species once, got ${quoted(scientificName ?? '')} again`);
    seen.add(key);
    checkText(scientificName, TEXT_LENGTHS.name, `${field}.scientificName`, report);
    checkText(commonName, TEXT_LENGTHS.name, `${field}.commonName`, report);
  }
}

/** Returns the bytes of its geodata as they are sent. */
function checkDdsProducer({ country, name, geometryGeojson }: DdsProducer, at: string, report: Report): number {
  checkCountry(country, `${at}.country`, report);
  checkText(name, TEXT_LENGTHS.producerName, `${at}.name`, report);
  if (!geometryGeojson) report('place_missing', `${at}.geometryGeojson`, 'wanted GeoJSON as Base64, got nothing');
  return checkGeodata(geometryGeojson, `${at}.geometryGeojson`, report);
}

function checkSdProducer(producer: SdProducer, at: string, report: Report): number {
  const { geometryGeojson, postalAddress, cadastralIdentifier } = producer.producerLocation ?? {};
  checkCountry(producer.producerCountry, `${at}.producerCountry`, report);
  checkText(producer.producerName, TEXT_LENGTHS.producerName, `${at}.producerName`, report);
  const field = `${at}.producerLocation`;
  const [addresses, identifiers] = [postalAddress ?? [], cadastralIdentifier ?? []];
  if (!geometryGeojson && addresses.length === 0 && identifiers.length === 0)
    report('place_missing', field, 'wanted GeoJSON, postal addresses or cadastral identifiers, got none');
  if (Math.max(addresses.length, identifiers.length) > TRACES_LIMITS.placesOfProducer)
    report(
      'too_many_places',
      field,
      `wanted at most ${TRACES_LIMITS.placesOfProducer}, got ${Math.max(addresses.length, identifiers.length)}`,
    );
  for (const [i, address] of addresses.entries()) {
    if (!address.producerPostalCode || !address.producerCity)
      report('place_missing', `${field}.postalAddress[${i}]`, 'wanted postal code and city, got less');
    checkText(address.producerStreet, TEXT_LENGTHS.street, `${field}.postalAddress[${i}].producerStreet`, report);
    checkText(
      address.producerPostalCode,
      TEXT_LENGTHS.postalCode,
      `${field}.postalAddress[${i}].producerPostalCode`,
      report,
    );
    checkText(address.producerCity, TEXT_LENGTHS.city, `${field}.postalAddress[${i}].producerCity`, report);
  }
  for (const [i, identifier] of identifiers.entries())
    checkText(identifier, TEXT_LENGTHS.cadastralIdentifier, `${field}.cadastralIdentifier[${i}]`, report);
  return checkGeodata(geometryGeojson, `${field}.geometryGeojson`, report);
}

/** A FeatureCollection as Base64 of UTF-8; its geometry has been checked by the export. */
function checkGeodata(text: string | null | undefined, field: string, report: Report): number {
  if (!text) return 0;
  if (!isFeatureCollection(text))
    report('place_invalid', field, 'wanted a FeatureCollection with Features as Base64, got something else');
  return text.length;
}

/** Not by one expression from end to end: it would go back over each of millions of letters, for which its stack is too small. */
function isBase64(text: string): boolean {
  const unpadded = text.slice(0, text.endsWith('==') ? -2 : text.endsWith('=') ? -1 : undefined);
  return unpadded !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(unpadded);
}

function isFeatureCollection(base64: string): boolean {
  if (!isBase64(base64)) return false;
  try {
    const bytes = Buffer.from(base64, 'base64');
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as {
      type?: unknown;
      features?: unknown;
    } | null;
    return value?.type === 'FeatureCollection' && Array.isArray(value.features) && value.features.length > 0;
  } catch {
    return false;
  }
}

function checkGrouped({ statement }: Filing, report: Report): void {
  const numbers = statement.groupedDeclarations ?? [];
  const field = 'statement.groupedDeclarations';
  if (numbers.length > TRACES_LIMITS.groupedDeclarations)
    report(
      'grouped_invalid',
      field,
      `wanted at most ${TRACES_LIMITS.groupedDeclarations} reference numbers, got ${numbers.length}`,
    );
  if (new Set(numbers).size < numbers.length) report('grouped_invalid', field, 'wanted each reference number once');
  for (const [i, number] of numbers.entries())
    if (number === '' || number.length > TEXT_LENGTHS.referenceNumber || !isXmlText(number))
      report(
        'grouped_invalid',
        `${field}[${i}]`,
        `wanted a reference number of 1 to 14 characters, got ${quoted(number)}`,
      );
}

function checkCountry(country: string | null | undefined, field: string, report: Report): void {
  if (!country) report('producer_country_missing', field, 'wanted two letters, got nothing');
  else if (!PATTERNS.country.test(country))
    report('producer_country_invalid', field, `wanted two letters, got ${quoted(country)}`);
}
