import { REQUESTS, type TracesRequest } from '../../../src/traces/messages/requests.ts';
import { envelope, headerElements, type BodyIdentity } from '../../../src/traces/messages/security-header.ts';
import type { Filing } from '../../../src/traces/messages/statement.ts';
import { writeXml } from '../../../src/traces/xml/write-xml.ts';
import { SAMPLE_DDS, SAMPLE_IMPORT, SAMPLE_SD } from '../../traces/sample-filings.ts';

/** The key that the digests are made with. */
export const ORACLE_KEY = 'oracle-key';

const UUID = '0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d';
const NUMBERS = { referenceNumber: '26BEABCDEFGHI', verificationNumber: 'ABCD1234' };

function message({ body }: TracesRequest, bodyIdentity: BodyIdentity | null = null): string {
  const credentials = { username: 'n00 & co', authenticationKey: ORACLE_KEY, clientId: 'eudr-test', bodyIdentity };
  const stamp = { at: new Date('2026-11-22T12:00:00.000Z'), nonce: Uint8Array.from({ length: 16 }, (_, i) => 17 * i) };
  return writeXml(envelope(headerElements(credentials, stamp), body));
}

function many(n: number): Filing {
  const [commodity] = SAMPLE_DDS.statement.commodities!;
  return {
    ...SAMPLE_DDS,
    statement: { ...SAMPLE_DDS.statement, commodities: Array.from({ length: n }, () => commodity!) },
  };
}

const hostile: Filing = {
  ...SAMPLE_DDS,
  statement: { ...SAMPLE_DDS.statement, comment: '</dds:comment>]]><!-- &amp; <![CDATA[ \r\n\t 𝔘 &#0; "\'' },
};

/** Messages that the client writes: every operation, kinds and edges. */
function written(): readonly (readonly [name: string, xml: string])[] {
  return [
    ['submit a statement', message(REQUESTS.submit(SAMPLE_DDS))],
    ['submit an import', message(REQUESTS.submit(SAMPLE_IMPORT))],
    ['submit a declaration', message(REQUESTS.submit(SAMPLE_SD))],
    ['submit hostile text', message(REQUESTS.submit(hostile))],
    ['submit 200 commodities', message(REQUESTS.submit(many(200)))],
    [
      'submit with body identity',
      message(REQUESTS.submit(SAMPLE_DDS), { kind: 'OperatorAccessIdentifier', value: 'OP-1' }),
    ],
    ['amend', message(REQUESTS.amend(SAMPLE_IMPORT, UUID))],
    ['update a declaration', message(REQUESTS.amend(SAMPLE_SD, UUID))],
    ['withdraw', message(REQUESTS.withdraw('dds', UUID))],
    ['withdraw a declaration', message(REQUESTS.withdraw('sd', UUID))],
    ['by uuid', message(REQUESTS.byUuid('dds', [UUID, UUID]))],
    ['declarations by uuid', message(REQUESTS.byUuid('sd', [UUID]))],
    ['by internal reference', message(REQUESTS.byInternalReference('dds', 'FM-<1>'))],
    ['declarations by internal reference', message(REQUESTS.byInternalReference('sd', 'FM-1'))],
    ['by numbers', message(REQUESTS.byNumbers('dds', NUMBERS))],
    ['declarations by numbers', message(REQUESTS.byNumbers('sd', NUMBERS))],
    ['verify', message(REQUESTS.verify(NUMBERS))],
    ['echo', message(REQUESTS.echo('Grüße & <more>'))],
  ];
}

/** The same with one thing broken each; some stay valid, which the oracle has to see too. */
function broken(): readonly (readonly [name: string, xml: string])[] {
  const [dds, importing, sd] = [SAMPLE_DDS, SAMPLE_IMPORT, SAMPLE_SD].map((filing) => message(REQUESTS.submit(filing)));
  const edits: readonly (readonly [name: string, xml: string, from: string | RegExp, to: string])[] = [
    ['activity TRADE', dds!, '>DOMESTIC<', '>TRADE<'],
    [
      'order of activity and country',
      dds!,
      /(<dds:activityType>.*?<\/dds:activityType>)(<dds:countryOfActivity>.*?<\/dds:countryOfActivity>)/,
      '$2$1',
    ],
    ['Greece as EL', dds!, '<dds:countryOfActivity>DE<', '<dds:countryOfActivity>EL<'],
    ['Northern Ireland', dds!, '<dds:countryOfActivity>DE<', '<dds:countryOfActivity>XI<'],
    ['heading of 7 digits', dds!, '>1801<', '>1801000<'],
    ['heading of 1 digit', dds!, '>1801<', '>1<'],
    ['heading with white space', dds!, '>1801<', '> 1801<'],
    ['weight with an exponent', dds!, '>25000.5<', '>2.5e4<'],
    ['weight with 7 decimals', dds!, '>25000.5<', '>1.1234567<'],
    ['weight with zeros at its end', dds!, '>25000.5<', '>1.1234560<'],
    ['weight of 11 digits', dds!, '>25000.5<', '>10000000000<'],
    ['weight at its most', dds!, '>25000.5<', '>9999999999.999999<'],
    ['negative weight', dds!, '>25000.5<', '>-1<'],
    ['percentage with 4 decimals', dds!, '>5<', '>5.1234<'],
    ['no confidentiality', dds!, /<dds:geoLocationConfidential>.*?<\/dds:geoLocationConfidential>/, ''],
    ['confidentiality as 1', dds!, '>false<', '>1<'],
    ['confidentiality as yes', dds!, '>false<', '>yes<'],
    ['description of 151 characters', dds!, 'Cocoa beans, Ashanti Gold', 'x'.repeat(151)],
    ['empty description', dds!, 'Cocoa beans, Ashanti Gold', ''],
    ['comment of 2001 characters', dds!, /<dds:comment>[^<]*/, `<dds:comment>${'x'.repeat(2_001)}`],
    ['comment of 2000 wide characters', dds!, /<dds:comment>[^<]*/, `<dds:comment>${'𝔘'.repeat(2_000)}`],
    ['country of one letter', dds!, '<dds:country>GH<', '<dds:country>G<'],
    ['producer without geometry', dds!, /<dds:geometryGeojson>.*?<\/dds:geometryGeojson>/, ''],
    [
      'name after geometry',
      dds!,
      /(<dds:name>.*?<\/dds:name>)(<dds:geometryGeojson>.*?<\/dds:geometryGeojson>)/,
      '$2$1',
    ],
    ['empty species name', dds!, '>Cocoa<', '><'],
    [
      'an element of no namespace',
      dds!,
      '<dds:activityType>DOMESTIC</dds:activityType>',
      '<activityType>DOMESTIC</activityType>',
    ],
    ['descriptors in the wrong namespace', dds!, /com:descriptionOfGoods/g, 'dds:descriptionOfGoods'],
    ['an unknown element', dds!, '<dds:geoLocationConfidential>', '<dds:extra/><dds:geoLocationConfidential>'],
    ['text between elements', dds!, '<dds:geoLocationConfidential>', 'x<dds:geoLocationConfidential>'],
    [
      'two roles',
      dds!,
      '<dds:operatorRole>OPERATOR</dds:operatorRole>',
      '<dds:operatorRole>OPERATOR</dds:operatorRole><dds:operatorRole>OPERATOR</dds:operatorRole>',
    ],
    ['role TRADER', dds!, '>OPERATOR<', '>TRADER<'],
    ['internal reference of 51', dds!, '>FM-SAMPLE-1<', `>${'x'.repeat(51)}<`],
    ['internal reference left out', dds!, /<dds:internalReferenceNumber>.*?<\/dds:internalReferenceNumber>/, ''],
    ['201 commodities', message(REQUESTS.submit(many(201))), '', ''],
    ['no commodities', dds!, /<dds:commodities>.*<\/dds:commodities>/, ''],
    [
      'operator name first',
      importing!,
      /(<com:operatorReferenceNumber>.*<\/com:operatorPhone>)(<com:operatorName>.*?<\/com:operatorName>)/,
      '$2$1',
    ],
    ['operator without name', importing!, /<com:operatorName>.*?<\/com:operatorName>/, ''],
    ['identifier type EORI', importing!, '>eori<', '>EORI<'],
    ['phone of 51 characters', importing!, '>+49 40 123456<', `>${'1'.repeat(51)}<`],
    ['email without a point', importing!, '>ops@example.org<', '>ops@example<'],
    ['qualifier of 5 characters', importing!, '>MTQ<', '>MTQQQ<'],
    ['grouped number of 15', importing!, '>26BEABCDEFGHI<', '>26BEABCDEFGHIJK<'],
    [
      'two numbers in one group',
      importing!,
      '<com:groupedDeclaration>26BEABCDEFGHI</com:groupedDeclaration>',
      '<com:groupedDeclaration>26BEA</com:groupedDeclaration><com:groupedDeclaration>26BEB</com:groupedDeclaration>',
    ],
    ['declaration without reference', sd!, /<sd:internalReferenceNumber>.*?<\/sd:internalReferenceNumber>/, ''],
    ['declaration with a reference of 15', sd!, '>FM-SAMPLE-3<', '>FM-SAMPLE-12345<'],
    [
      'declaration with species',
      sd!,
      '<sd:producers><sd:producerPosition>1',
      '<sd:speciesInfo/><sd:producers><sd:producerPosition>1',
    ],
    [
      'declaration with two kinds of place',
      sd!,
      '<sd:postalAddress>',
      '<sd:cadastralIdentifier>1</sd:cadastralIdentifier><sd:postalAddress>',
    ],
    ['declaration without a place', sd!, /<sd:postalAddress>.*?<\/sd:postalAddress>/, ''],
    ['address without a city', sd!, /<sd:producerCity>.*?<\/sd:producerCity>/, ''],
    ['declaration with the role OPERATOR', sd!, '>MICRO_OPERATOR<', '>OPERATOR<'],
    ['a malformed uuid', message(REQUESTS.withdraw('dds', UUID)), UUID, 'not-a-uuid'],
    [
      '101 uuids',
      message(
        REQUESTS.byUuid(
          'dds',
          Array.from({ length: 101 }, () => UUID),
        ),
      ),
      '',
      '',
    ],
    ['verification number of 4', message(REQUESTS.verify({ ...NUMBERS, verificationNumber: 'ABCD' })), '', ''],
    ['an operation of V2', message(REQUESTS.withdraw('dds', UUID)), /WithdrawDdsRequest/g, 'RetractDdsRequest'],
  ];
  return edits.map(([name, xml, from, to]) => {
    const edited = from === '' ? xml : xml.replace(from, to);
    if (from !== '' && edited === xml) throw new Error(`the edit ${name} changes nothing`);
    return [name, edited];
  });
}

export interface OracleMessage {
  readonly name: string;
  /** True for what the client writes by itself. */
  readonly own: boolean;
  readonly xml: string;
}

export function oracleMessages(): readonly OracleMessage[] {
  return [
    ...written().map(([name, xml]) => ({ name, own: true, xml })),
    ...broken().map(([name, xml]) => ({ name, own: false, xml })),
  ];
}
