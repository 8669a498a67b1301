import { createHash } from 'node:crypto';
import { collectionText, type ExportPart, type PartProducer } from './export-part.ts';
import type { FilingChoices } from './filing-choices.ts';
import { headingOf, lawOfPlots } from './law-of-export.ts';
import { REFERENCE_LENGTHS } from './official-errors.ts';
import {
  commodityEntries,
  draftText,
  type MissingField,
  missingOfEveryDraft,
  missingRepresented,
  NO_GOODS,
  NOT_SUBMITTED,
  proposalsOf,
  statementFields,
  type Commodities,
  type StatementPlace,
} from './statement-text.ts';

/** What a declaration confirms, which has no field in the message (Annex III point 4). */
const CONFIRMATION =
  'Annex III also requires a confirmation, in the future tense, that the products will comply; it has no field in the message.';

/**
 * A simplified declaration in the shape of the V3 service of the EU information system (Art 4a and Annex III), as text in
 * pieces: everything known filled in, everything else null and named under `missing`.
 */
export function* declarationText(
  part: ExportPart,
  place: StatementPlace,
  choices: FilingChoices,
): Generator<Uint8Array, void> {
  const commodities = commodityEntries(part.producers);
  const { collection } = place;
  const names = [...new Set(commodities.map(([commodity]) => commodity))];
  const head = {
    submitted: false,
    kind: 'sd',
    notice: NOT_SUBMITTED,
    model: 'EUDR Operator API Reference 1.0, EUDRSimplifiedDeclarationServiceV3, submitSd',
    collection: { id: collection.id, name: collection.name },
    plots: part.plots,
    geojson: place.file,
    geojson_note:
      'The plots of the file are evidence; the declaration holds what its producers have under producerLocation.',
    confirmation: CONFIRMATION,
    missing: missingFields(commodities, choices),
    proposals: proposalsOf(commodities, choices),
    law: lawOfPlots(choices, part.plotsByCountry, names),
    operatorRole: operatorRole(choices),
  };
  const statement = statementFields(place, referenceOf(place), `declaration ${place.number}`, choices);
  const fieldsOf = (i: number) => {
    const [commodity] = commodities[i]!;
    return {
      position: i + 1,
      descriptors: NO_GOODS,
      hsHeading: headingOf(commodity, choices),
      ...(commodity === null ? {} : { commodity }),
    };
  };
  yield* draftText(head, statement, commodities, fieldsOf, producerFields);
}

/** One of the three ways of saying where a producer's plots are. */
function producerFields(producer: PartProducer, producerPosition: number) {
  const { country, name, addresses, identifiers, features } = producer;
  const producerLocation =
    addresses.length > 0
      ? { postalAddress: addresses }
      : identifiers.length > 0
        ? { cadastralIdentifier: identifiers }
        : { geometryGeojson: Buffer.concat([...collectionText(features)]).toString('base64') };
  return { producerPosition, producerCountry: country, producerName: name, producerLocation };
}

/** The role as the V3 service names it; null where none was given. */
function operatorRole({ role }: FilingChoices): string | null {
  if (role === null) return null;
  return role === 'authorised_representative' ? 'REPRESENTATIVE_MSPO' : 'MICRO_OPERATOR';
}

/** Every field that has to be filled in, with what it takes. */
function missingFields(commodities: Commodities, choices: FilingChoices): readonly MissingField[] {
  const { role, activity } = choices;
  const ofStatement = [
    ...(role === null ? [{ field: 'operatorRole', wanted: 'MICRO_OPERATOR or REPRESENTATIVE_MSPO' }] : []),
    ...(activity === null ? [{ field: 'statement.activityType', wanted: 'IMPORT, EXPORT or DOMESTIC' }] : []),
    ...missingRepresented(role === 'primary_operator'),
    {
      field: 'statement.countryOfActivity',
      wanted: 'ISO alpha-2 of a low-risk member state, or XI; left out by operators outside the EU',
    },
    ...missingOfEveryDraft(activity),
  ];
  const ofCommodities = commodities.flatMap(([commodity], i) => {
    const at = `statement.commodities[${i}]`;
    return [
      ...(commodity === null ? [{ field: at, wanted: 'which commodity the plots grow' }] : []),
      { field: `${at}.descriptors.descriptionOfGoods`, wanted: 'text of up to 150 characters, with the trade name' },
      {
        field: `${at}.descriptors.goodsMeasure`,
        wanted:
          'one estimated quantity of a year: kilograms of net weight for import and export; otherwise net weight with a percentage, volume or number of items',
      },
      ...(headingOf(commodity, choices) === null
        ? [{ field: `${at}.hsHeading`, wanted: '2 to 6 digits; see proposals' }]
        : []),
    ];
  });
  return [...ofStatement, ...ofCommodities];
}

/** Digits of Crockford's Base32, which has no letter that is taken for a digit. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The 14 characters a declaration may have, required of it: the same for the same collection and part. */
function referenceOf({ collection: { id }, number }: StatementPlace): string {
  const digest = createHash('sha256').update(`${id} ${number}`).digest();
  const letters = [...digest.subarray(0, REFERENCE_LENGTHS.simplified_declaration - 2)].map(
    (byte) => BASE32[byte % 32],
  );
  return `FM${letters.join('')}`;
}
