import { createHash } from 'node:crypto';
import type { Collection } from '../collection.ts';
import type { FilingChoices } from './filing-choices.ts';
import { headingOf, headingProposals, lawOfPlots } from './law-of-export.ts';
import { STATEMENT_LIMITS } from './official-errors.ts';
import { collectionText, type ExportPart, type PartProducer } from './export-part.ts';

export const NOT_SUBMITTED =
  'Nothing was submitted to any authority. This is a draft for the operator, who completes, checks and submits it.';

/** Where a statement belongs. */
export interface StatementPlace {
  readonly collection: Pick<Collection, 'id' | 'name'>;
  /** Number of the statement in the export, from 1. */
  readonly number: number;
  /** The GeoJSON file with the same plots. */
  readonly file: string;
}

/**
 * A due diligence statement in the shape of the V3 service of the EU information system (EUDR Operator API Reference 1.0),
 * as text in pieces: everything known filled in, everything else null and named under `missing`.
 */
export function* statementText(
  part: ExportPart,
  place: StatementPlace,
  choices: FilingChoices,
): Generator<Uint8Array, void> {
  const commodities = commodityEntries(part.producers);
  const { collection } = place;
  const head = {
    submitted: false,
    kind: 'dds',
    notice: NOT_SUBMITTED,
    model: 'EUDR Operator API Reference 1.0, EUDRDueDiligenceStatementServiceV3, submitDds',
    collection: { id: collection.id, name: collection.name },
    plots: part.plots,
    geojson: place.file,
    missing: missingFields(commodities, choices),
    proposals: proposalsOf(commodities, choices),
    law: lawOfPlots(choices, part.plotsByCountry, [...new Set(commodities.map(([commodity]) => commodity))]),
    operatorRole: operatorRole(choices),
  };
  const statement = statementFields(place, referenceOf(place), `statement ${place.number}`, choices);
  const fieldsOf = (i: number) => commodityFields(...commodities[i]!, i + 1, choices);
  yield* draftText(head, statement, commodities, fieldsOf, producerFields);
}

/** What a statement and a declaration have in front of their commodities. */
export function statementFields(
  { collection }: StatementPlace,
  internalReferenceNumber: string,
  numbered: string,
  { activity }: FilingChoices,
) {
  return {
    internalReferenceNumber,
    activityType: activity,
    representedOperator: null,
    countryOfActivity: null,
    borderCrossCountry: null,
    comment: `Plots of the collection ${JSON.stringify(collection.name.slice(0, 200))}, ${numbered}.`,
  };
}

/** A draft as text in pieces: its head, and under it a statement or declaration with one producer at a time in memory. */
export function* draftText(
  head: object,
  statement: object,
  commodities: Commodities,
  commodityFieldsOf: (index: number) => object,
  producerFieldsOf: (producer: PartProducer, position: number) => object,
): Generator<Uint8Array, void> {
  yield Buffer.from(
    `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "statement": ${JSON.stringify(statement).slice(0, -1)},"commodities":[`,
  );
  for (const [i, [, producers]] of commodities.entries()) {
    const own = JSON.stringify(commodityFieldsOf(i)).slice(0, -1);
    yield Buffer.from(`${i === 0 ? '' : ','}\n    ${own},"producers":[`);
    for (const [j, producer] of producers.entries())
      yield Buffer.from(`${j === 0 ? '' : ','}\n      ${JSON.stringify(producerFieldsOf(producer, j + 1))}`);
    yield Buffer.from(']}');
  }
  yield Buffer.from('\n  ],"geoLocationConfidential":null,"groupedDeclarations":[]}\n}\n');
}

export function proposalsOf(commodities: Commodities, choices: FilingChoices) {
  return commodities.map(([commodity], i) => ({
    field: `statement.commodities[${i}].hsHeading`,
    ...headingProposals(commodity, choices),
  }));
}

/** Producers by commodity, in as many entries as the limit of producers of one requires. */
export function commodityEntries(producers: readonly PartProducer[]): Commodities {
  const most = STATEMENT_LIMITS.producersPerCommodity;
  return [...Map.groupBy(producers, ({ commodity }) => commodity)].flatMap(([commodity, all]) =>
    Array.from(
      { length: Math.ceil(all.length / most) },
      (_, i) => [commodity, all.slice(i * most, (i + 1) * most)] as const,
    ),
  );
}

export type Commodities = readonly (readonly [commodity: string | null, producers: readonly PartProducer[]])[];

function producerFields({ country, name, features }: PartProducer, position: number) {
  return { position, country, name, geometryGeojson: Buffer.concat([...collectionText(features)]).toString('base64') };
}

/** What nobody but the operator knows of the goods. */
export const NO_GOODS = {
  descriptionOfGoods: null,
  goodsMeasure: {
    percentageEstimationOrDeviation: null,
    netWeight: null,
    supplementaryUnit: null,
    supplementaryUnitQualifier: null,
  },
} as const;

function commodityFields(
  commodity: string | null,
  producers: readonly PartProducer[],
  position: number,
  choices: FilingChoices,
) {
  const names = [...new Set(producers.flatMap(({ scientificName }) => scientificName?.slice(0, 200) ?? []))].toSorted();
  return {
    position,
    descriptors: NO_GOODS,
    hsHeading: headingOf(commodity, choices),
    speciesInfo: names.slice(0, 500).map((scientificName) => ({ scientificName, commonName: null })),
    ...(commodity === null ? {} : { commodity }),
  };
}

/** The role as the V3 service names it; null where none was given. */
function operatorRole({ role }: FilingChoices): string | null {
  if (role === null) return null;
  return role === 'authorised_representative' ? 'REPRESENTATIVE_OPERATOR' : 'OPERATOR';
}

export type MissingField = { readonly field: string; readonly wanted: string };

/** Whom a representative stands for; not needed of those who file for themselves. */
export function missingRepresented(isForThemselves: boolean): readonly MissingField[] {
  const wanted = 'name, address and at least one identifier; only for a representative';
  return isForThemselves ? [] : [{ field: 'statement.representedOperator', wanted }];
}

/** What statements and declarations both need after the country of activity. */
export function missingOfEveryDraft(activity: FilingChoices['activity']): readonly MissingField[] {
  const wanted = 'ISO alpha-2 of a member state, or XI; for import and export';
  return [
    ...(activity === 'DOMESTIC' ? [] : [{ field: 'statement.borderCrossCountry', wanted }]),
    { field: 'statement.geoLocationConfidential', wanted: 'true or false' },
  ];
}

/** Every field the operator has to fill in, with what it takes. */
function missingFields(commodities: Commodities, choices: FilingChoices): readonly MissingField[] {
  const { role, activity } = choices;
  const ofStatement = [
    ...(role === null ? [{ field: 'operatorRole', wanted: 'OPERATOR or REPRESENTATIVE_OPERATOR' }] : []),
    ...(activity === null
      ? [
          {
            field: 'statement.activityType',
            wanted: 'IMPORT, EXPORT or DOMESTIC; IMPORT alone for an operator outside the EU',
          },
        ]
      : []),
    ...missingRepresented(role === 'operator'),
    { field: 'statement.countryOfActivity', wanted: 'ISO alpha-2 of a member state, or XI' },
    ...missingOfEveryDraft(activity),
  ];
  const ofCommodities = commodities.flatMap(([commodity, producers], i) => {
    const at = `statement.commodities[${i}]`;
    const noCountry = producers.flatMap(({ country }, j) => (country === null ? [j] : []));
    return [
      ...(commodity === null ? [{ field: at, wanted: 'which commodity the plots grow' }] : []),
      { field: `${at}.descriptors.descriptionOfGoods`, wanted: 'text of up to 150 characters' },
      { field: `${at}.descriptors.goodsMeasure.netWeight`, wanted: 'kilograms; required for import and export' },
      {
        field: `${at}.descriptors.goodsMeasure.percentageEstimationOrDeviation`,
        wanted: 'per cent, where the weight is an estimate',
      },
      {
        field: `${at}.descriptors.goodsMeasure.supplementaryUnit`,
        wanted: 'number and qualifier, where the heading has one',
      },
      ...(headingOf(commodity, choices) === null
        ? [{ field: `${at}.hsHeading`, wanted: '2 to 6 digits; see proposals' }]
        : []),
      ...(commodity === 'timber' && producers.every(({ scientificName }) => scientificName === null)
        ? [{ field: `${at}.speciesInfo`, wanted: 'scientific and common name of every species; required for timber' }]
        : []),
      ...noCountry.map((j) => ({
        field: `${at}.producers[${j}].country`,
        wanted: 'ISO alpha-2 of the country of production',
      })),
    ];
  });
  return [...ofStatement, ...ofCommodities];
}

/** Up to 35 of the 50 characters, the same for the same collection and part. */
function referenceOf({ collection: { id }, number }: StatementPlace): string {
  return `FM-${createHash('sha256').update(id).digest('hex').slice(0, 16).toUpperCase()}-${number}`;
}
