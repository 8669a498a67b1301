import type { XmlElement } from '../xml/write-xml.ts';
import {
  decimalText,
  type Amount,
  type DdsProducer,
  type Descriptors,
  type Filing,
  type RepresentedOperator,
  type SdProducer,
} from './statement.ts';

type Maybe = XmlElement | null;

/**
 * The element `statement`, children in the order that the interface enforces. What is not given is left out; nothing is
 * filled in. `check-statement.ts` says beforehand what is missing.
 */
export function statementElement({ kind, statement }: Filing): XmlElement {
  const p = kind;
  const commodities = (statement.commodities ?? []) as readonly CommodityParts[];
  return [
    `${p}:statement`,
    [
      text(`${p}:internalReferenceNumber`, statement.internalReferenceNumber),
      text(`${p}:activityType`, statement.activityType),
      operatorElement(p, statement.representedOperator),
      text(`${p}:countryOfActivity`, statement.countryOfActivity),
      text(`${p}:borderCrossCountry`, statement.borderCrossCountry),
      text(`${p}:comment`, statement.comment),
      ...commodities.map((commodity) => commodityElement(kind, commodity)),
      typeof statement.geoLocationConfidential === 'boolean'
        ? [`${p}:geoLocationConfidential`, String(statement.geoLocationConfidential)]
        : null,
      ...(statement.groupedDeclarations ?? []).map((number): XmlElement => [
        `${p}:groupedDeclarations`,
        [['com:groupedDeclaration', number]],
      ]),
    ],
  ];
}

interface CommodityParts {
  readonly position?: number | null;
  readonly descriptors?: Descriptors | null;
  readonly hsHeading?: string | null;
  readonly speciesInfo?:
    | readonly { readonly scientificName?: string | null; readonly commonName?: string | null }[]
    | null;
  readonly producers?: readonly (DdsProducer | SdProducer)[] | null;
}

function commodityElement(kind: Filing['kind'], commodity: CommodityParts): XmlElement {
  const p = kind;
  const species = kind === 'dds' ? (commodity.speciesInfo ?? []) : [];
  return [
    `${p}:commodities`,
    [
      whole(`${p}:position`, commodity.position),
      descriptorsElement(p, commodity.descriptors ?? {}),
      text(`${p}:hsHeading`, commodity.hsHeading),
      ...species.map((one): XmlElement => [
        `${p}:speciesInfo`,
        [text(`${p}:scientificName`, one.scientificName), text(`${p}:commonName`, one.commonName)],
      ]),
      ...(commodity.producers ?? []).map((producer) =>
        kind === 'dds' ? ddsProducer(producer as DdsProducer) : sdProducer(producer as SdProducer),
      ),
    ],
  ];
}

function descriptorsElement(p: string, { descriptionOfGoods, goodsMeasure }: Descriptors): XmlElement {
  return [
    `${p}:descriptors`,
    [
      ['com:descriptionOfGoods', descriptionOfGoods ?? ''],
      [
        'com:goodsMeasure',
        [
          amount('com:percentageEstimationOrDeviation', goodsMeasure?.percentageEstimationOrDeviation),
          amount('com:netWeight', goodsMeasure?.netWeight),
          amount('com:supplementaryUnit', goodsMeasure?.supplementaryUnit),
          text('com:supplementaryUnitQualifier', goodsMeasure?.supplementaryUnitQualifier),
        ],
      ],
    ],
  ];
}

function ddsProducer({ position, country, name, geometryGeojson }: DdsProducer): XmlElement {
  return [
    'dds:producers',
    [
      whole('dds:position', position),
      text('dds:country', country),
      text('dds:name', name),
      text('dds:geometryGeojson', geometryGeojson),
    ],
  ];
}

function sdProducer({ producerPosition, producerCountry, producerName, producerLocation }: SdProducer): XmlElement {
  return [
    'sd:producers',
    [
      whole('sd:producerPosition', producerPosition),
      text('sd:producerCountry', producerCountry),
      text('sd:producerName', producerName),
      ['sd:producerLocation', locationElements(producerLocation ?? {})],
    ],
  ];
}

function locationElements(location: NonNullable<SdProducer['producerLocation']>): readonly Maybe[] {
  const { geometryGeojson, postalAddress, cadastralIdentifier } = location;
  if (isGiven(geometryGeojson)) return [text('sd:geometryGeojson', geometryGeojson)];
  if ((postalAddress ?? []).length > 0)
    return postalAddress!.map((address) => [
      'sd:postalAddress',
      [
        text('sd:producerStreet', address.producerStreet),
        text('sd:producerPostalCode', address.producerPostalCode),
        text('sd:producerCity', address.producerCity),
      ],
    ]);
  return (cadastralIdentifier ?? []).map((identifier) => ['sd:cadastralIdentifier', identifier]);
}

function operatorElement(p: string, operator: RepresentedOperator | null | undefined): Maybe {
  if (operator === null || operator === undefined) return null;
  const address = operator.operatorAddress;
  return [
    `${p}:representedOperator`,
    [
      ...(operator.operatorReferenceNumber ?? []).map((pair): XmlElement => [
        'com:operatorReferenceNumber',
        [
          ['com:identifierType', pair.identifierType],
          ['com:identifierValue', pair.identifierValue],
        ],
      ]),
      address === null || address === undefined
        ? null
        : [
            'com:operatorAddress',
            [
              text('com:country', address.country),
              text('com:street', address.street),
              text('com:postalCode', address.postalCode),
              text('com:city', address.city),
              text('com:fullAddress', address.fullAddress),
            ],
          ],
      text('com:operatorEmail', operator.operatorEmail),
      text('com:operatorPhone', operator.operatorPhone),
      text('com:operatorName', operator.operatorName),
    ],
  ];
}

function isGiven(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== '';
}

function text(name: string, value: string | null | undefined): Maybe {
  return isGiven(value) ? [name, value] : null;
}

function whole(name: string, value: number | null | undefined): Maybe {
  return value === null || value === undefined ? null : [name, String(value)];
}

function amount(name: string, value: Amount | null | undefined): Maybe {
  if (value === null || value === undefined || value === '') return null;
  const decimal = decimalText(value);
  if (decimal === null) throw new Error(`wanted a decimal number in ${name}, got ${JSON.stringify(value)}`);
  return [name, decimal];
}
