/*
 * Version 3 of the interface of the EU information system as data: addresses, namespaces, actions and body elements. From
 * the EUDR Operator API Reference 1.0 (29 May 2026) and the service descriptions of release 8.2.1; see docs/filing.md.
 */

/** Where statements are filed. `test` is a server on this machine, which the setting `TRACES_TEST_URL` names. */
export const TRACES_ENVIRONMENTS = ['acceptance', 'production', 'test'] as const;
export type TracesEnvironment = (typeof TRACES_ENVIRONMENTS)[number];

/** The only addresses outside this machine that anything is sent to. */
export const TRACES_ADDRESSES = {
  acceptance: 'https://acceptance.eudr.webcloud.ec.europa.eu/tracesnt/',
  production: 'https://eudr.webcloud.ec.europa.eu/tracesnt/',
} as const;

export const NAMESPACES = {
  env: 'http://schemas.xmlsoap.org/soap/envelope/',
  wsse: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd',
  wsu: 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd',
  base: 'http://ec.europa.eu/sanco/tracesnt/base/v4',
  body: 'http://ec.europa.eu/tracesnt/body/v3',
  com: 'http://ec.europa.eu/tracesnt/certificate/eudr/common/v3',
  dds: 'http://ec.europa.eu/tracesnt/certificate/eudr/due-diligence-statement/v3',
  sd: 'http://ec.europa.eu/tracesnt/certificate/eudr/simplified-declaration/v3',
  ver: 'http://ec.europa.eu/tracesnt/certificate/eudr/verify-declaration/v3',
  err: 'http://ec.europa.eu/sanco/tracesnt/error/v01',
  echo: 'http://ec.europa.eu/tracesnt/eudr/echo',
} as const;

const DDS_PATH = 'ws/EUDRDueDiligenceStatementServiceV3';
const SD_PATH = 'ws/EUDRSimplifiedDeclarationServiceV3';

/** One operation: where it is sent, its SOAPAction, the namespace of its messages, and their name without Request or Response. */
export interface Operation {
  readonly path: string;
  readonly action: string;
  readonly prefix: 'dds' | 'sd' | 'ver' | 'echo';
  readonly name: string;
  /** True where sending it twice changes nothing at the service. */
  readonly isRead: boolean;
}

const dds = (operation: string, isRead: boolean): Operation => ({
  path: DDS_PATH,
  action: `${NAMESPACES.dds}/${operation}`,
  prefix: 'dds',
  name: `${operation[0]!.toUpperCase()}${operation.slice(1)}`,
  isRead,
});

/** The service description of simplified declarations names the actions of its reads in the namespace of statements. */
const sd = (operation: string, isRead: boolean): Operation => ({
  path: SD_PATH,
  action: `${isRead ? NAMESPACES.dds : NAMESPACES.sd}/${operation}`,
  prefix: 'sd',
  name: `${operation[0]!.toUpperCase()}${operation.slice(1)}`,
  isRead,
});

export const OPERATIONS = {
  submitDds: dds('submitDds', false),
  amendDds: dds('amendDds', false),
  withdrawDds: dds('withdrawDds', false),
  getDds: dds('getDds', true),
  getDdsByInternalReference: dds('getDdsByInternalReference', true),
  getDdsByIdentifiers: dds('getDdsByIdentifiers', true),
  submitSd: sd('submitSd', false),
  updateSd: sd('updateSd', false),
  withdrawSd: sd('withdrawSd', false),
  getSd: sd('getSd', true),
  getSdByInternalReference: sd('getSdByInternalReference', true),
  getSdByIdentifiers: sd('getSdByIdentifiers', true),
  verifyDeclaration: {
    path: 'ws/EUDRVerifyDeclarationServiceV3',
    action: 'http://ec.europa.eu/tracesnt/certificate/eudr/verification/v3/verify-declaration',
    prefix: 'ver',
    name: 'VerifyDeclaration',
    isRead: true,
  },
  echo: { path: 'ws/eudr/echo', action: NAMESPACES.echo, prefix: 'echo', name: 'EudrEcho', isRead: true },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** States of a statement or declaration at the service. SUSPENDED and UPDATED are declared as not active. */
export type ServiceStatus =
  | 'SUBMITTED'
  | 'AVAILABLE'
  | 'REJECTED'
  | 'WITHDRAWN'
  | 'ARCHIVED'
  | 'GROUPED'
  | 'OBSOLETE'
  | 'SUSPENDED'
  | 'UPDATED';

/** What one message may hold. */
export const TRACES_LIMITS = {
  /** The interface takes 200, its text says 100. */
  commodities: 200,
  commoditiesOfText: 100,
  speciesOfCommodity: 500,
  producersOfCommodity: 1_000,
  producers: 10_000,
  /** Bytes of geodata of one statement, counted as the Base64 they are sent in. */
  geodataBytes: 25_000_000,
  groupedDeclarations: 2_000,
  identifiers: 12,
  placesOfProducer: 100,
  uuidsOfQuery: 100,
  /** Calls per second of one network address. */
  callsPerSecond: 5,
} as const;
