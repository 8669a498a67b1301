/*
 * The messages of the V3 interface as a table of its own, written from the facts about the interface and not from the
 * client: the fake server checks by it, and an oracle with lxml and an XSD agrees with it on every stored message.
 */
import { SaxesParser } from 'saxes';

export interface Node {
  readonly ns: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
  text: string;
}

export function parse(text: string): Node {
  const parser = new SaxesParser({ xmlns: true });
  const open: Node[] = [];
  let root: Node | undefined;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const attributes = Object.fromEntries(Object.values(tag.attributes).map(({ local, value }) => [local, value]));
    const node: Node = { ns: tag.uri, name: tag.local, attributes, children: [], text: '' };
    open.at(-1)?.children.push(node);
    root ??= node;
    open.push(node);
  });
  const add = (piece: string): void => {
    const node = open.at(-1);
    if (node !== undefined) node.text += piece;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  return root!;
}

export function find(node: Node | undefined, ...path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((at, name) => at?.children.find((child) => child.name === name), node);
}

export const NS = {
  env: 'http://schemas.xmlsoap.org/soap/envelope/',
  com: 'http://ec.europa.eu/tracesnt/certificate/eudr/common/v3',
  dds: 'http://ec.europa.eu/tracesnt/certificate/eudr/due-diligence-statement/v3',
  sd: 'http://ec.europa.eu/tracesnt/certificate/eudr/simplified-declaration/v3',
  ver: 'http://ec.europa.eu/tracesnt/certificate/eudr/verify-declaration/v3',
  err: 'http://ec.europa.eu/sanco/tracesnt/error/v01',
  echo: 'http://ec.europa.eu/tracesnt/eudr/echo',
} as const;

type Test = (text: string) => boolean;
interface Part {
  readonly name: string;
  readonly ns: string;
  readonly least: number;
  readonly most: number;
  readonly content: Test | Content;
}
/** A sequence of parts, or one part out of several. */
type Content = { readonly all: readonly Part[] } | { readonly one: readonly Part[] };

const matches =
  (pattern: RegExp): Test =>
  (text) =>
    pattern.test(text);
const length =
  (least: number, most: number): Test =>
  (text) =>
    [...text].length >= least && [...text].length <= most;
const oneOf =
  (words: string): Test =>
  (text) =>
    words.split(' ').includes(text);
const trimmed =
  (test: Test): Test =>
  (text) =>
    test(text.trim());
const decimal =
  (digits: number, places: number, most: number): Test =>
  (text) => {
    const found = /^[+-]?(\d*)(?:\.(\d*))?$/.exec(text.trim());
    if (found === null || (found[1] === '' && (found[2] ?? '') === '')) return false;
    const whole = found[1]!.replace(/^0+/, '');
    const part = (found[2] ?? '').replace(/0+$/, '');
    return part.length <= places && whole.length + part.length <= digits && Number(text) >= 0 && Number(text) < most;
  };

const TYPES = {
  uuid: matches(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/),
  reference: length(0, 14),
  verification: length(5, 35),
  country: matches(/^[A-Za-z]{2}$/),
  eu: oneOf('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'),
  heading: matches(/^[0-9]{2,6}$/),
  amount: decimal(16, 6, 1e10),
  percentage: decimal(18, 3, 1e15),
  activity: oneOf('DOMESTIC IMPORT EXPORT'),
  identifier: oneOf('eori vat gln tin cbr cin duns comp_num comp_reg oni'),
  qualifier: length(3, 4),
  integer: trimmed(matches(/^[+-]?\d+$/)),
  boolean: trimmed(oneOf('true false 1 0')),
  any: length(0, Infinity),
  email: matches(/^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$/),
} as const;

const parts =
  (ns: string) =>
  (name: string, content: Test | Content, least = 1, most = 1): Part => ({ name, ns, least, most, content });
const [dds, sd, com] = [parts(NS.dds), parts(NS.sd), parts(NS.com)];

const address: Content = {
  all: [
    com('country', TYPES.country),
    com('street', length(1, 300)),
    com('postalCode', length(1, 80)),
    com('city', length(1, 200)),
    com('fullAddress', length(1, 250), 0),
  ],
};
const operator: Content = {
  all: [
    com(
      'operatorReferenceNumber',
      { all: [com('identifierType', TYPES.identifier), com('identifierValue', length(0, 80))] },
      0,
      12,
    ),
    com('operatorAddress', address, 0),
    com('operatorEmail', TYPES.email, 0),
    com('operatorPhone', length(1, 50), 0),
    com('operatorName', length(1, 200)),
  ],
};
const descriptors: Content = {
  all: [
    com('descriptionOfGoods', length(0, 150)),
    com('goodsMeasure', {
      all: [
        com('percentageEstimationOrDeviation', TYPES.percentage, 0),
        com('netWeight', TYPES.amount, 0),
        com('supplementaryUnit', TYPES.amount, 0),
        com('supplementaryUnitQualifier', TYPES.qualifier, 0),
      ],
    }),
  ],
};

function statement(p: typeof dds, reference: Part, commodity: readonly Part[]): Content {
  return {
    all: [
      reference,
      p('activityType', TYPES.activity),
      p('representedOperator', operator, 0),
      p('countryOfActivity', TYPES.eu, 0),
      p('borderCrossCountry', TYPES.eu, 0),
      p('comment', length(0, 2_000), 0),
      p('commodities', { all: commodity }, 1, 200),
      p('geoLocationConfidential', TYPES.boolean),
      p('groupedDeclarations', { all: [com('groupedDeclaration', TYPES.reference)] }, 0, 2_000),
    ],
  };
}

const ddsStatement = statement(dds, dds('internalReferenceNumber', length(0, 50), 0), [
  dds('position', TYPES.integer, 0),
  dds('descriptors', descriptors),
  dds('hsHeading', TYPES.heading),
  dds('speciesInfo', { all: [dds('scientificName', length(1, 200), 0), dds('commonName', length(1, 200), 0)] }, 0, 500),
  dds(
    'producers',
    {
      all: [
        dds('position', TYPES.integer, 0),
        dds('country', TYPES.country),
        dds('name', length(0, 500), 0),
        dds('geometryGeojson', TYPES.any),
      ],
    },
    0,
    1_000,
  ),
]);
const sdStatement = statement(sd, sd('internalReferenceNumber', length(0, 14)), [
  sd('position', TYPES.integer, 0),
  sd('descriptors', descriptors),
  sd('hsHeading', TYPES.heading),
  sd(
    'producers',
    {
      all: [
        sd('producerPosition', TYPES.integer, 0),
        sd('producerCountry', TYPES.country),
        sd('producerName', length(0, 500), 0),
        sd('producerLocation', {
          one: [
            sd('geometryGeojson', TYPES.any),
            sd(
              'postalAddress',
              {
                all: [
                  sd('producerStreet', length(1, 300), 0),
                  sd('producerPostalCode', length(1, 80)),
                  sd('producerCity', length(1, 200)),
                ],
              },
              1,
              100,
            ),
            sd('cadastralIdentifier', length(0, 80), 1, 100),
          ],
        }),
      ],
    },
    0,
    1_000,
  ),
]);

const pair: Content = { all: [com('referenceNumber', TYPES.reference), com('verificationNumber', TYPES.verification)] };
const uuidAndVersion: Content = { all: [com('uuid', TYPES.uuid), com('versionNumber', TYPES.integer, 0)] };
const ver = parts(NS.ver);
const echo = parts(NS.echo);

/** Every request by its element. */
const REQUESTS: Readonly<Record<string, Part>> = Object.fromEntries(
  [
    dds('SubmitDdsRequest', {
      all: [dds('operatorRole', oneOf('OPERATOR REPRESENTATIVE_OPERATOR')), dds('statement', ddsStatement)],
    }),
    dds('AmendDdsRequest', { all: [dds('uuid', TYPES.uuid), dds('statement', ddsStatement)] }),
    dds('WithdrawDdsRequest', { all: [dds('uuid', TYPES.uuid)] }),
    dds('GetDdsRequest', { all: [dds('uuidList', TYPES.uuid, 1, 100)] }),
    dds('GetDdsByInternalReferenceRequest', { all: [dds('internalReference', length(0, 50))] }),
    dds('GetDdsByIdentifiersRequest', { all: [dds('referenceAndVerificationNumber', pair)] }),
    sd('SubmitSdRequest', {
      all: [sd('operatorRole', oneOf('MICRO_OPERATOR REPRESENTATIVE_MSPO MEMBER_STATE')), sd('statement', sdStatement)],
    }),
    sd('UpdateSdRequest', { all: [sd('sdIdentifier', TYPES.uuid), sd('statement', sdStatement)] }),
    sd('WithdrawSdRequest', { all: [sd('sdIdentifier', TYPES.uuid)] }),
    sd('GetSdRequest', { all: [sd('uuidAndVersionNumberList', uuidAndVersion, 1, 100)] }),
    sd('GetSdByInternalReferenceRequest', { all: [sd('internalReference', length(0, 50))] }),
    sd('GetSdByIdentifiersRequest', { all: [sd('referenceAndVerificationNumber', pair)] }),
    ver('VerifyDeclarationRequest', {
      all: [ver('referenceNumber', TYPES.reference), ver('verificationNumber', TYPES.verification)],
    }),
    echo('EudrEchoRequest', { all: [echo('query', TYPES.any)] }),
  ].map((part) => [part.name, part]),
);

/** What a schema validator would say of the body element, or null when it is valid. */
export function schemaFault(body: Node): string | null {
  const part = REQUESTS[body.name];
  if (part === undefined || part.ns !== body.ns)
    return `cvc-elt.1: Cannot find the declaration of element '${body.name}'.`;
  return contentFault(body, part.content);
}

function contentFault(node: Node, content: Test | Content): string | null {
  if (typeof content === 'function') {
    if (node.children.length > 0) return `cvc-type.3.1.2: Element '${node.name}' is a simple type.`;
    return content(node.text)
      ? null
      : `cvc-type.3.1.3: The value '${node.text.slice(0, 60)}' of element '${node.name}' is not valid.`;
  }
  if (node.text.trim() !== '') return `cvc-complex-type.2.3: Element '${node.name}' cannot have character [children].`;
  if ('one' in content) {
    const chosen = content.one.find(({ name, ns }) => node.children[0]?.name === name && node.children[0].ns === ns);
    if (chosen === undefined) return `cvc-complex-type.2.4.b: The content of element '${node.name}' is not complete.`;
    return sequenceFault(node, [chosen]);
  }
  return sequenceFault(node, content.all);
}

function sequenceFault(node: Node, sequence: readonly Part[]): string | null {
  let at = 0;
  for (const part of sequence) {
    let count = 0;
    for (let child = node.children[at]; child?.name === part.name && child.ns === part.ns; child = node.children[at]) {
      if (++count > part.most) return unexpected(child);
      const fault = contentFault(child, part.content);
      if (fault !== null) return fault;
      at++;
    }
    if (count < part.least) {
      const next = node.children[at];
      return next === undefined
        ? `cvc-complex-type.2.4.b: The content of element '${node.name}' is not complete.`
        : unexpected(next);
    }
  }
  const rest = node.children[at];
  return rest === undefined ? null : unexpected(rest);
}

function unexpected({ name }: Node): string {
  return `cvc-complex-type.2.4.a: Invalid content was found starting with element '${name}'.`;
}
