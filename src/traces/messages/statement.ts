/*
 * Statements and declarations as JSON, with the names of the V3 interface: what the export drafts, people complete and the
 * interface takes. Null and an absent member both mean that nothing is given.
 */

/** A number as JSON has it, or its decimal text. */
export type Amount = number | string;

export interface OperatorIdentifier {
  readonly identifierType: string;
  readonly identifierValue: string;
}

interface OperatorAddress {
  readonly country: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  readonly fullAddress?: string | null;
}

/** The operator that a representative files for. */
export interface RepresentedOperator {
  readonly operatorReferenceNumber?: readonly OperatorIdentifier[] | null;
  readonly operatorAddress?: OperatorAddress | null;
  readonly operatorEmail?: string | null;
  readonly operatorPhone?: string | null;
  readonly operatorName?: string | null;
}

export interface GoodsMeasure {
  readonly percentageEstimationOrDeviation?: Amount | null;
  /** Kilograms. */
  readonly netWeight?: Amount | null;
  readonly supplementaryUnit?: Amount | null;
  readonly supplementaryUnitQualifier?: string | null;
}

export interface Descriptors {
  readonly descriptionOfGoods?: string | null;
  readonly goodsMeasure?: GoodsMeasure | null;
}

export interface Species {
  readonly scientificName?: string | null;
  readonly commonName?: string | null;
}

/** A producer of a due diligence statement; `geometryGeojson` is Base64 of UTF-8 GeoJSON. */
export interface DdsProducer {
  readonly position?: number | null;
  readonly country?: string | null;
  readonly name?: string | null;
  readonly geometryGeojson?: string | null;
}

interface PostalAddress {
  readonly producerStreet?: string | null;
  readonly producerPostalCode: string;
  readonly producerCity: string;
}

/** One of the three; the first that is given counts. */
interface ProducerLocation {
  readonly geometryGeojson?: string | null;
  readonly postalAddress?: readonly PostalAddress[] | null;
  readonly cadastralIdentifier?: readonly string[] | null;
}

/** A producer of a simplified declaration. */
export interface SdProducer {
  readonly producerPosition?: number | null;
  readonly producerCountry?: string | null;
  readonly producerName?: string | null;
  readonly producerLocation?: ProducerLocation | null;
}

interface CommodityBase {
  readonly position?: number | null;
  readonly descriptors?: Descriptors | null;
  /** 2 to 6 digits. */
  readonly hsHeading?: string | null;
}

export interface DdsCommodity extends CommodityBase {
  readonly speciesInfo?: readonly Species[] | null;
  readonly producers?: readonly DdsProducer[] | null;
}

export interface SdCommodity extends CommodityBase {
  readonly producers?: readonly SdProducer[] | null;
}

interface StatementBase<C> {
  readonly internalReferenceNumber?: string | null;
  readonly activityType?: string | null;
  readonly representedOperator?: RepresentedOperator | null;
  readonly countryOfActivity?: string | null;
  readonly borderCrossCountry?: string | null;
  readonly comment?: string | null;
  readonly commodities?: readonly C[] | null;
  readonly geoLocationConfidential?: boolean | null;
  /** Reference numbers. */
  readonly groupedDeclarations?: readonly string[] | null;
}

export type DdsStatement = StatementBase<DdsCommodity>;
export type SdStatement = StatementBase<SdCommodity>;

/** What is filed: a due diligence statement or a simplified declaration. */
export const FILING_KINDS = ['dds', 'sd'] as const;
export type FilingKind = (typeof FILING_KINDS)[number];

/** A statement or declaration with the role of whoever files it. */
export type Filing =
  | { readonly kind: 'dds'; readonly operatorRole: string | null; readonly statement: DdsStatement }
  | { readonly kind: 'sd'; readonly operatorRole: string | null; readonly statement: SdStatement };

/** The decimal text of an amount, without an exponent, or null where it has none. */
export function decimalText(amount: Amount): string | null {
  const text = String(amount).trim();
  return /^\d+(\.\d+)?$/.test(text) ? text : null;
}
