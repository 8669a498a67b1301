import type { Filing } from '../../src/traces/messages/statement.ts';

/** One Feature, as the export writes it. */
export const SAMPLE_GEOJSON = Buffer.from(
  JSON.stringify({
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { ProducerName: 'Kofi Mensah', ProducerCountry: 'GH', Area: 2.5 },
        geometry: { type: 'Point', coordinates: [-2.123456, 6.654321] },
      },
    ],
  }),
).toString('base64');

/** A domestic statement of cocoa with nothing missing. Made up. */
export const SAMPLE_DDS: Filing & { kind: 'dds' } = {
  kind: 'dds',
  operatorRole: 'OPERATOR',
  statement: {
    internalReferenceNumber: 'FM-SAMPLE-1',
    activityType: 'DOMESTIC',
    representedOperator: null,
    countryOfActivity: 'DE',
    borderCrossCountry: null,
    comment: 'Lot <7> & "more"\r\nsecond line',
    commodities: [
      {
        position: 1,
        descriptors: {
          descriptionOfGoods: 'Cocoa beans, Ashanti Gold',
          goodsMeasure: { netWeight: 25_000.5, percentageEstimationOrDeviation: '5' },
        },
        hsHeading: '1801',
        speciesInfo: [{ scientificName: 'Theobroma cacao', commonName: 'Cocoa' }],
        producers: [{ position: 1, country: 'GH', name: 'Kofi Mensah', geometryGeojson: SAMPLE_GEOJSON }],
      },
    ],
    geoLocationConfidential: false,
    groupedDeclarations: [],
  },
};

/** An import of logs that a representative files. Made up. */
export const SAMPLE_IMPORT: Filing & { kind: 'dds' } = {
  kind: 'dds',
  operatorRole: 'REPRESENTATIVE_OPERATOR',
  statement: {
    internalReferenceNumber: 'FM-SAMPLE-2',
    activityType: 'IMPORT',
    representedOperator: {
      operatorReferenceNumber: [
        { identifierType: 'eori', identifierValue: 'DE123456789012345' },
        { identifierType: 'vat', identifierValue: 'DE123456789' },
      ],
      operatorAddress: {
        country: 'DE',
        street: 'Hafenstraße 1',
        postalCode: '20457',
        city: 'Hamburg',
        fullAddress: null,
      },
      operatorEmail: 'ops@example.org',
      operatorPhone: '+49 40 123456',
      operatorName: 'Beispiel & Söhne GmbH',
    },
    countryOfActivity: 'DE',
    borderCrossCountry: 'NL',
    commodities: [
      {
        position: 1,
        descriptors: {
          descriptionOfGoods: 'Logs',
          goodsMeasure: { netWeight: '120000', supplementaryUnit: '150.25', supplementaryUnitQualifier: 'MTQ' },
        },
        hsHeading: '440349',
        speciesInfo: [{ scientificName: 'Milicia excelsa', commonName: 'Iroko' }],
        producers: [{ position: 1, country: 'CM', name: null, geometryGeojson: SAMPLE_GEOJSON }],
      },
    ],
    geoLocationConfidential: true,
    groupedDeclarations: ['26BEABCDEFGHI'],
  },
};

/** A simplified declaration with an address and cadastral identifiers in place of geometry. Made up. */
export const SAMPLE_SD: Filing & { kind: 'sd' } = {
  kind: 'sd',
  operatorRole: 'MICRO_OPERATOR',
  statement: {
    internalReferenceNumber: 'FM-SAMPLE-3',
    activityType: 'DOMESTIC',
    countryOfActivity: 'FI',
    commodities: [
      {
        position: 1,
        descriptors: {
          descriptionOfGoods: 'Firewood',
          goodsMeasure: { netWeight: '8000', percentageEstimationOrDeviation: '10' },
        },
        hsHeading: '4401',
        producers: [
          {
            producerPosition: 1,
            producerCountry: 'FI',
            producerName: 'Aino Virtanen',
            producerLocation: {
              postalAddress: [{ producerStreet: 'Metsätie 4', producerPostalCode: '43900', producerCity: 'Kinnula' }],
            },
          },
          {
            producerPosition: 2,
            producerCountry: 'FI',
            producerName: null,
            producerLocation: { cadastralIdentifier: ['256-402-1-12', '256-402-1-13'] },
          },
        ],
      },
    ],
    geoLocationConfidential: false,
    groupedDeclarations: [],
  },
};
