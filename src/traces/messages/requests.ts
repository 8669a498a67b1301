import { OPERATIONS, type Operation, type OperationName } from '../interface-v3.ts';
import type { XmlElement } from '../xml/write-xml.ts';
import type { Filing } from './statement.ts';
import { statementElement } from './write-statement.ts';

/** The numbers that travel with goods. */
export interface NumberPair {
  readonly referenceNumber: string;
  readonly verificationNumber: string;
}

/** A request with the body it is sent as. */
export interface TracesRequest {
  readonly operation: OperationName;
  readonly body: XmlElement;
}

/** The kinds of the operations that statements and declarations share under other names. */
const NAMES = {
  submit: { dds: 'submitDds', sd: 'submitSd' },
  amend: { dds: 'amendDds', sd: 'updateSd' },
  withdraw: { dds: 'withdrawDds', sd: 'withdrawSd' },
  byUuid: { dds: 'getDds', sd: 'getSd' },
  byInternalReference: { dds: 'getDdsByInternalReference', sd: 'getSdByInternalReference' },
  byNumbers: { dds: 'getDdsByIdentifiers', sd: 'getSdByIdentifiers' },
} as const satisfies Record<string, Record<Filing['kind'], OperationName>>;

/** Every request of the interface as a function of what it carries. */
export const REQUESTS = {
  submit: (filing: Filing) =>
    request(NAMES.submit[filing.kind], (p) => [
      [`${p}:operatorRole`, filing.operatorRole ?? ''],
      statementElement(filing),
    ]),
  amend: (filing: Filing, uuid: string) =>
    request(NAMES.amend[filing.kind], (p) => [[idElement(p), uuid], statementElement(filing)]),
  withdraw: (kind: Filing['kind'], uuid: string) => request(NAMES.withdraw[kind], (p) => [[idElement(p), uuid]]),
  byUuid: (kind: Filing['kind'], uuids: readonly string[]) =>
    request(NAMES.byUuid[kind], (p) =>
      uuids.map((uuid) =>
        p === 'sd' ? ['sd:uuidAndVersionNumberList', [['com:uuid', uuid]]] : ['dds:uuidList', uuid],
      ),
    ),
  byInternalReference: (kind: Filing['kind'], reference: string) =>
    request(NAMES.byInternalReference[kind], (p) => [[`${p}:internalReference`, reference]]),
  byNumbers: (kind: Filing['kind'], numbers: NumberPair) =>
    request(NAMES.byNumbers[kind], (p) => [
      [
        `${p}:referenceAndVerificationNumber`,
        [
          ['com:referenceNumber', numbers.referenceNumber],
          ['com:verificationNumber', numbers.verificationNumber],
        ],
      ],
    ]),
  verify: (numbers: NumberPair) =>
    request('verifyDeclaration', () => [
      ['ver:referenceNumber', numbers.referenceNumber],
      ['ver:verificationNumber', numbers.verificationNumber],
    ]),
  echo: (query: string) => request('echo', () => [['echo:query', query]]),
} as const;

/** Declarations name their uuid by another element than statements. */
function idElement(prefix: string): string {
  return prefix === 'sd' ? 'sd:sdIdentifier' : 'dds:uuid';
}

function request(operation: OperationName, children: (prefix: string) => readonly XmlElement[]): TracesRequest {
  const { prefix, name }: Operation = OPERATIONS[operation];
  return { operation, body: [`${prefix}:${name}Request`, children(prefix)] };
}
