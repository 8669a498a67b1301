import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/any-character.ts';
import { runs } from '../../../test/property-runs.ts';
import { schemaFault, parse, find } from '../../../test/traces/v3-schema.ts';
import { SAMPLE_DDS, SAMPLE_GEOJSON, SAMPLE_IMPORT, SAMPLE_SD } from '../../../test/traces/sample-filings.ts';
import { checkFiling } from '../rules/check-statement.ts';
import { isBlocking } from '../rules/filing-issues.ts';
import { EU_COUNTRIES, IDENTIFIER_TYPES } from '../rules/simple-types.ts';
import { childOf, readXml } from '../xml/read-xml.ts';
import { isXmlText, writeXml } from '../xml/write-xml.ts';
import { readStatement } from './read-statement.ts';
import { REQUESTS } from './requests.ts';
import { envelope, headerElements, passwordDigest } from './security-header.ts';
import type { DdsStatement, Filing, SdProducer } from './statement.ts';
import { statementElement } from './write-statement.ts';

const CREDENTIALS = { username: 'n00<&>', authenticationKey: 'secret-key', clientId: 'eudr-test', bodyIdentity: null };
const STAMP = { at: new Date('2026-11-22T12:00:00.000Z'), nonce: Uint8Array.from({ length: 16 }, (_, i) => i) };

function bodyOf(filing: Filing): ReturnType<typeof parse> {
  const text = writeXml(envelope(headerElements(CREDENTIALS, STAMP), REQUESTS.submit(filing).body));
  return find(parse(text), 'Body')!.children[0]!;
}

function roundTrip(filing: Filing): ReturnType<typeof readStatement> {
  const text = writeXml(envelope([], statementElement(filing)));
  return readStatement(childOf(childOf(readXml(text), 'Body')!, 'statement')!);
}

describe('the header', () => {
  it('has the digest of the known vector', () => {
    assert.equal(
      passwordDigest(STAMP.nonce, '2026-11-22T12:00:00.000Z', 'test-authentication-key'),
      '8KNHsY7igY1OdtqiFF1P0a+ApcE=',
    );
  });

  it('never holds the key', () => {
    const text = writeXml(envelope(headerElements(CREDENTIALS, STAMP), REQUESTS.echo('x').body));
    assert.doesNotMatch(text, /secret-key/);
    assert.match(text, /<wsu:Expires>2026-11-22T12:01:00.000Z</);
    assert.match(text, /<wsse:Username>n00&lt;&amp;&gt;</);
  });

  it('names the body identity without a namespace', () => {
    const bodyIdentity = { kind: 'OperatorAccessIdentifier', value: 'A1' } as const;
    const header = headerElements({ ...CREDENTIALS, bodyIdentity }, STAMP);
    const node = find(parse(writeXml(envelope(header, REQUESTS.echo('x').body))), 'Header', 'BodyIdentity')!;
    assert.deepEqual([node.children[0]!.ns, node.children[0]!.text], ['', 'A1']);
  });
});

/** Text that XML can hold, with everything that needs an escape. */
const xmlText = (most: number) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom('<', '&', '>', ']]>', '"', "'", '\r', '\n', '\t', '\r\n', '&amp;', '<!--', '\u00a0', '𝔘'),
        fc.string({ unit: anyCharacter }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => [...parts.join('')].filter(isXmlText).slice(0, most).join(''))
    .filter((text) => text !== '');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const country = fc.constantFrom('GH', 'CI', 'BR', 'DE');
const amountText = fc
  .tuple(fc.integer({ min: 1, max: 9_999_999_999 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`);

const statement: fc.Arbitrary<DdsStatement> = fc.record({
  internalReferenceNumber: maybe(xmlText(50)),
  activityType: fc.constantFrom('DOMESTIC', 'IMPORT', 'EXPORT'),
  representedOperator: maybe(
    fc.record({
      operatorReferenceNumber: fc.array(
        fc.record({ identifierType: fc.constantFrom(...IDENTIFIER_TYPES), identifierValue: xmlText(80) }),
        { maxLength: 12 },
      ),
      operatorAddress: maybe(
        fc.record({
          country,
          street: xmlText(300),
          postalCode: xmlText(80),
          city: xmlText(200),
          fullAddress: maybe(xmlText(250)),
        }),
      ),
      operatorEmail: maybe(fc.constant('a@example.org')),
      operatorPhone: maybe(xmlText(50)),
      operatorName: xmlText(200),
    }),
  ),
  countryOfActivity: maybe(fc.constantFrom(...EU_COUNTRIES)),
  borderCrossCountry: maybe(fc.constantFrom(...EU_COUNTRIES)),
  comment: maybe(xmlText(2_000)),
  commodities: fc.array(
    fc.record({
      position: maybe(fc.integer({ min: 1, max: 200 })),
      descriptors: fc.record({
        descriptionOfGoods: maybe(xmlText(150)),
        goodsMeasure: fc.record({
          percentageEstimationOrDeviation: maybe(fc.constantFrom('0', '5', '12.125')),
          netWeight: maybe(amountText),
          supplementaryUnit: maybe(amountText),
          supplementaryUnitQualifier: maybe(fc.constantFrom('MTQ', 'NAR')),
        }),
      }),
      hsHeading: fc.constantFrom('18', '1801', '440349'),
      speciesInfo: fc.array(fc.record({ scientificName: maybe(xmlText(200)), commonName: maybe(xmlText(200)) }), {
        maxLength: 3,
      }),
      producers: fc.array(
        fc.record({
          position: maybe(fc.integer({ min: 1, max: 1_000 })),
          country,
          name: maybe(xmlText(500)),
          geometryGeojson: fc.constant(SAMPLE_GEOJSON),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  geoLocationConfidential: fc.boolean(),
  groupedDeclarations: fc.array(fc.constantFrom('26BEABCDEFGHI', '26DE123456789A'), { maxLength: 2 }),
});

describe('a statement', () => {
  it('is read back as it was written, whatever its texts hold, and fits the schema', () => {
    fc.assert(
      fc.property(statement, (value) => {
        const filing: Filing = { kind: 'dds', operatorRole: 'OPERATOR', statement: value };
        // fast-check makes objects without a prototype.
        assert.deepEqual(roundTrip(filing), JSON.parse(JSON.stringify(value)));
        assert.equal(schemaFault(bodyOf(filing)), null);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('of a declaration is read back too, with addresses and identifiers', () => {
    const read = roundTrip(SAMPLE_SD);
    assert.deepEqual(
      ((read.commodities?.[0]?.producers ?? []) as readonly SdProducer[]).map((producer) => producer.producerLocation),
      [
        {
          geometryGeojson: null,
          postalAddress: [{ producerStreet: 'Metsätie 4', producerPostalCode: '43900', producerCity: 'Kinnula' }],
          cadastralIdentifier: [],
        },
        { geometryGeojson: null, postalAddress: [], cadastralIdentifier: ['256-402-1-12', '256-402-1-13'] },
      ],
    );
    assert.equal(schemaFault(bodyOf(SAMPLE_SD)), null);
  });

  it('is never sent with characters that XML cannot hold', () => {
    for (const bad of ['\u0000', '\u0008', '\u001f', '\ufffe', '\ud800', 'a\udc00']) {
      const filing: Filing = { ...SAMPLE_DDS, statement: { ...SAMPLE_DDS.statement, comment: `x${bad}` } };
      assert.throws(() => statementElement(filing) && writeXml(statementElement(filing)), /control character/);
      assert.ok(
        checkFiling(filing).some(({ code, field }) => code === 'text_invalid' && field === 'statement.comment'),
      );
    }
  });

  it('cannot have its elements closed by its texts', () => {
    const comment = '</dds:comment><dds:geoLocationConfidential>true</dds:geoLocationConfidential>]]><![CDATA[&#0;';
    const filing: Filing = { ...SAMPLE_DDS, statement: { ...SAMPLE_DDS.statement, comment } };
    assert.equal(roundTrip(filing).comment, comment);
    assert.equal(roundTrip(filing).geoLocationConfidential, false);
  });

  it('writes amounts without an exponent', () => {
    const measure = (netWeight: number | string): string => {
      const { statement: sample } = SAMPLE_DDS;
      const [commodity] = sample.commodities!;
      const changed = { ...commodity, descriptors: { goodsMeasure: { netWeight } } };
      return writeXml(statementElement({ ...SAMPLE_DDS, statement: { ...sample, commodities: [changed] } }));
    };
    assert.match(measure(0.1), /<com:netWeight>0.1</);
    assert.match(measure('12.50'), /<com:netWeight>12.50</);
    assert.throws(() => measure(1e-7), /decimal number/);
    assert.throws(() => measure(1e21), /decimal number/);
  });

  it('that passes the checks fits the schema', () => {
    for (const filing of [SAMPLE_DDS, SAMPLE_IMPORT, SAMPLE_SD]) {
      assert.deepEqual(checkFiling(filing).filter(isBlocking), []);
      assert.equal(schemaFault(bodyOf(filing)), null);
    }
  });
});

describe('the reader of answers', () => {
  it('reads or refuses any text, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          xmlText(200).map((text) => `<a>${text}`),
          fc.constant('<a/>'),
        ),
        (text) => {
          try {
            assert.ok(readXml(text).name.length > 0);
          } catch (error) {
            assert.ok(error instanceof Error && !(error instanceof TypeError), String(error));
          }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('refuses entities and deep nesting', () => {
    assert.throws(() => readXml('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), /document type/);
    assert.throws(() => readXml(`${'<a>'.repeat(100)}${'</a>'.repeat(100)}`), /inside each other/);
    assert.throws(() => readXml('<a>&nope;</a>'));
    assert.throws(() => readXml('<a>'));
  });
});
