/**
 * A server that behaves as the EU information system is known to: it checks the header, the schema and some business
 * rules, keeps statements and lets them become available, and misbehaves on request. A real HTTP server of this machine.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { find, NS, parse, schemaFault, type Node } from './v3-schema.ts';

export const FAKE_CREDENTIALS = {
  username: 'n00fake1',
  authenticationKey: 'fake-authentication-key',
  clientId: 'eudr-test',
  bodyIdentity: null,
} as const;

/** Ways in which the server misbehaves, once each time one is put in the queue of an operation. */
export type Fault =
  | 'slow'
  | 'hang_before_storing'
  | 'hang_after_storing'
  | 'close_before_storing'
  | 'close_after_storing'
  | 'status_429'
  | 'status_500'
  | 'status_503'
  | 'html_200'
  | 'html_502'
  | 'truncated'
  | 'huge'
  | 'other_answer'
  | 'no_uuid'
  | 'internal_fault'
  | 'internal_fault_after_storing'
  | 'fault_with_200'
  | 'discontinued'
  | 'empty'
  | 'not_found'
  | 'unknown_code'
  | 'hyphens'
  | 'reject'
  | 'doctype';

export interface KeptStatement {
  readonly uuid: string;
  readonly kind: 'dds' | 'sd';
  readonly internalReference: string;
  readonly storedAt: number;
  node: Node;
  status: string;
  reason: string | null;
  reference: string | null;
  verification: string | null;
  availableAt: number | null;
  version: number;
  rejects: boolean;
}

export interface FakeOptions {
  /** Milliseconds until a statement is AVAILABLE. Default 0. */
  readonly availableAfterMs?: number;
  /** Milliseconds in which queries do not see a new statement. Default 0. */
  readonly unseenForMs?: number;
  /** How late `slow` is. Default 200. */
  readonly slowMs?: number;
  readonly now?: () => number;
  /** How a call over the rate is held. Default: that many milliseconds of real time. */
  readonly hold?: (ms: number) => Promise<unknown>;
  /** Called when a submission has arrived and is not stored yet; false drops it without an answer. */
  readonly onReceived?: (operation: string) => boolean;
  /** Called when a submission has been stored and is not answered yet. */
  readonly onStored?: (kept: KeptStatement) => void;
}

export interface FakeTraces {
  /** Base address, with the slash at its end. */
  readonly base: string;
  readonly statements: Map<string, KeptStatement>;
  /** Operations in the order in which they came, with when. */
  readonly calls: { readonly operation: string; readonly at: number; readonly message: string }[];
  /** Adds a fault for the next call of an operation, such as `SubmitDds`. */
  next(operation: string, ...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

const WINDOW_MS = 300_000;
const AMEND_MS = 72 * 3_600_000;
/** Calls of one address in any second; one more is slowed, not refused. */
const CALLS_PER_SECOND = 5;

/** Starts it on a free port of 127.0.0.1. */
export async function startFakeTraces(options: FakeOptions = {}): Promise<FakeTraces> {
  const now = options.now ?? Date.now;
  const statements = new Map<string, KeptStatement>();
  const calls: FakeTraces['calls'] = [];
  const faults = new Map<string, Fault[]>();
  const nonces = new Set<string>();
  const hold = options.hold ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  /** When each call was, or will be, answered. */
  const turns: number[] = [];

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('?wsdl') === true) {
      send(response, 200, `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="${NS.dds}"/>`);
      return;
    }
    const turn = Math.max(now(), (turns.at(-CALLS_PER_SECOND) ?? -Infinity) + 1_000);
    const heldMs = turn - now();
    turns.push(turn);
    if (heldMs > 0) await hold(heldMs);
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const message = Buffer.concat(chunks).toString('utf8');
    if (request.method !== 'POST' || !/^text\/xml;\s*charset=utf-8$/i.test(request.headers['content-type'] ?? ''))
      return fault(response, 'S:Client', 'Unsupported content type', '');
    const envelope = parse(message);
    const body = find(envelope, 'Body')?.children[0];
    if (envelope.ns !== NS.env || body === undefined) return fault(response, 'S:Client', 'Not a SOAP message', '');
    const operation = body.name.replace(/Request$/, '');
    calls.push({ operation, at: now(), message });
    if (options.onReceived?.(operation) === false) {
      response.destroy();
      return;
    }
    const bad = faults.get(operation)?.shift();
    if (bad === 'slow') await new Promise((resolve) => setTimeout(resolve, options.slowMs ?? 200));
    if (bad !== undefined && misbehaveAtOnce(bad, response)) return;
    if (!actionFits(operation, request.headers['soapaction'], request.url))
      return fault(response, 'S:Client', 'Wrong SOAPAction or path', '');
    if (!isAuthentic(envelope))
      return fault(
        response,
        'S:Client',
        'UnauthenticatedException',
        '<ns9:UnauthenticatedException xmlns:ns9="urn:x"/>',
      );
    const invalid = schemaFault(body);
    if (invalid !== null) return fault(response, 'S:Client', invalid, '');
    act(operation, body, response, bad);
  }

  /** What happens before the message is looked at. True when it has been answered, or never will be. */
  function misbehaveAtOnce(bad: Fault, response: ServerResponse): boolean {
    switch (bad) {
      case 'hang_before_storing':
        return true;
      case 'close_before_storing':
        response.destroy();
        return true;
      case 'status_429':
        response.writeHead(429, { 'retry-after': '1' }).end();
        return true;
      case 'status_500':
        response.writeHead(500, { 'content-type': 'text/plain' }).end('Internal Server Error');
        return true;
      case 'status_503':
        response.writeHead(503).end();
        return true;
      case 'html_502':
        response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad gateway<br></body></html>');
        return true;
      case 'discontinued':
        fault(response, 'S:Client', 'This version of the service is discontinued.', '');
        return true;
      case 'internal_fault':
        fault(response, 'S:Server', 'InternalSystemException', '<e:InternalSystemException xmlns:e="urn:x"/>');
        return true;
      case 'not_found':
        notFound(response);
        return true;
      case 'unknown_code':
        businessFault(response, ['EUDR_SOMETHING_THAT_IS_NEW']);
        return true;
      case 'hyphens':
        businessFault(response, ['EUDR-COMMODITIES-HS-CODE-INVALID'], 'statement.commodities[0].hsHeading');
        return true;
      case 'fault_with_200':
        businessFault(response, ['EUDR_COMMODITIES_HS_CODE_INVALID'], null, 200);
        return true;
      default:
        return false;
    }
  }

  function isAuthentic(envelope: Node): boolean {
    const header = find(envelope, 'Header');
    const security = find(header, 'Security');
    const token = find(security, 'UsernameToken');
    const [created, expires] = [
      find(security, 'Timestamp', 'Created')?.text ?? '',
      find(security, 'Timestamp', 'Expires')?.text ?? '',
    ];
    const [nonce, tokenCreated] = [find(token, 'Nonce'), find(token, 'Created')?.text ?? ''];
    const password = find(token, 'Password');
    const isFresh = [created, tokenCreated].every(
      (text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && Math.abs(Date.parse(text) - now()) <= WINDOW_MS,
    );
    const digest = createHash('sha1')
      .update(Buffer.from(nonce?.text ?? '', 'base64'))
      .update(tokenCreated)
      .update(FAKE_CREDENTIALS.authenticationKey)
      .digest('base64');
    const isKnown =
      find(token, 'Username')?.text === FAKE_CREDENTIALS.username &&
      find(header, 'WebServiceClientId')?.text === FAKE_CREDENTIALS.clientId &&
      find(header, 'BodyIdentity') === undefined;
    const isNew = nonce !== undefined && Buffer.from(nonce.text, 'base64').length === 16 && !nonces.has(nonce.text);
    nonces.add(nonce?.text ?? '');
    return (
      isFresh &&
      Date.parse(expires) > now() &&
      Date.parse(expires) - Date.parse(created) <= WINDOW_MS &&
      password?.text === digest &&
      password.attributes['Type']?.endsWith('#PasswordDigest') === true &&
      nonce?.attributes['EncodingType']?.endsWith('#Base64Binary') === true &&
      isKnown &&
      isNew
    );
  }

  function act(operation: string, body: Node, response: ServerResponse, bad: Fault | undefined): void {
    settle();
    const kind = operation.includes('Sd') ? 'sd' : 'dds';
    const ns = NS[kind];
    const at = (...path: readonly string[]): string => find(body, ...path)?.text ?? '';
    switch (operation) {
      case 'EudrEcho':
        return reply(response, NS.echo, 'EudrEchoResponse', '<p:status>OK</p:status>', bad);
      case 'SubmitDds':
      case 'SubmitSd': {
        const refusals = rulesBroken(body);
        if (refusals.length > 0) return businessFault(response, refusals);
        const kept = store(kind, body, bad === 'reject');
        options.onStored?.(kept);
        const tag = kind === 'sd' ? 'sdIdentifier' : 'uuid';
        const uuid = bad === 'no_uuid' ? '' : `<p:${tag}>${kept.uuid}</p:${tag}>`;
        return reply(response, ns, `${operation}Response`, uuid, bad);
      }
      case 'AmendDds':
      case 'UpdateSd': {
        const kept = statements.get(at(kind === 'sd' ? 'sdIdentifier' : 'uuid'));
        if (kept === undefined) return businessFault(response, ['EUDR_API_NO_DDS']);
        if (kept.status !== 'AVAILABLE' || (kind === 'dds' && now() - kept.availableAt! > AMEND_MS))
          return businessFault(response, ['EUDR_API_AMEND_NOT_ALLOWED_FOR_STATUS']);
        const before = find(kept.node, 'activityType')?.text;
        if (find(body, 'statement', 'activityType')?.text !== before)
          return businessFault(response, ['EUDR_API_AMEND_ACTIVITY_TYPE_CHANGE_NOT_ALLOWED']);
        const refusals = rulesBroken(body);
        if (refusals.length > 0) return businessFault(response, refusals);
        kept.node = find(body, 'statement')!;
        kept.version++;
        return reply(
          response,
          ns,
          `${operation}Response`,
          `<p:uuid>${kept.uuid}</p:uuid><p:status>${kept.status}</p:status>`,
          bad,
        );
      }
      case 'WithdrawDds':
      case 'WithdrawSd': {
        const kept = statements.get(at(kind === 'sd' ? 'sdIdentifier' : 'uuid'));
        if (kept === undefined) return businessFault(response, ['EUDR_API_NO_DDS']);
        if (!['SUBMITTED', 'AVAILABLE', 'WITHDRAWN'].includes(kept.status))
          return businessFault(response, ['EUDR_API_AMEND_OR_WITHDRAW_NOT_ALLOWED_FOR_STATUS']);
        kept.status = 'WITHDRAWN';
        return reply(
          response,
          ns,
          `${operation}Response`,
          `<p:uuid>${kept.uuid}</p:uuid><p:status>WITHDRAWN</p:status>`,
          bad,
        );
      }
      case 'GetDds':
      case 'GetSd': {
        const wanted = body.children.map((child) => (kind === 'sd' ? find(child, 'uuid')!.text : child.text));
        return overviews(
          operation,
          kind,
          [...statements.values()].filter(({ uuid }) => wanted.includes(uuid)),
          response,
          bad,
        );
      }
      case 'GetDdsByInternalReference':
      case 'GetSdByInternalReference': {
        // Older releases match parts, and do not look at the case.
        const wanted = at('internalReference').toLowerCase();
        const found = [...statements.values()].filter(({ internalReference: own }) =>
          own.toLowerCase().includes(wanted),
        );
        return overviews(operation, kind, found, response, bad);
      }
      case 'GetDdsByIdentifiers':
      case 'GetSdByIdentifiers': {
        const pair = find(body, 'referenceAndVerificationNumber');
        const kept = byNumbers(find(pair, 'referenceNumber')!.text, find(pair, 'verificationNumber')!.text);
        if (kept === undefined || kept.kind !== kind) return notFound(response);
        return reply(response, ns, `${operation}Response`, xmlOf(kept.node), bad);
      }
      case 'VerifyDeclaration': {
        const kept = byNumbers(at('referenceNumber'), at('verificationNumber'));
        const usable = kept !== undefined && ['AVAILABLE', 'ARCHIVED'].includes(kept.status);
        const result = kept === undefined ? 'NON_EXISTENT' : usable ? 'EXISTING_USABLE' : 'EXISTING_NON_USABLE';
        const status = kept === undefined ? '' : `<p:status>${kept.status}</p:status>`;
        const content = `<p:result>${result}</p:result>${status}<p:dateTime>${new Date(now()).toISOString()}</p:dateTime>`;
        return reply(response, NS.ver, 'VerifyDeclarationResponse', content, bad);
      }
      default:
        return fault(response, 'S:Client', `No operation ${operation}`, '');
    }
  }

  function store(kind: 'dds' | 'sd', body: Node, rejects: boolean): KeptStatement {
    const node = find(body, 'statement')!;
    const kept: KeptStatement = {
      uuid: randomUUID(),
      kind,
      internalReference: find(node, 'internalReferenceNumber')?.text ?? randomBytes(6).toString('hex'),
      storedAt: now(),
      node,
      status: 'SUBMITTED',
      reason: null,
      reference: null,
      verification: null,
      availableAt: null,
      version: 1,
      rejects,
    };
    statements.set(kept.uuid, kept);
    return kept;
  }

  /** Statements whose time has come become available, or are rejected. */
  function settle(): void {
    for (const kept of statements.values()) {
      if (kept.status !== 'SUBMITTED' || now() - kept.storedAt < (options.availableAfterMs ?? 0)) continue;
      if (kept.rejects) {
        kept.status = 'REJECTED';
        kept.reason = 'The geolocation lies in the sea.';
        continue;
      }
      kept.status = 'AVAILABLE';
      kept.availableAt = now();
      const capitals = createHash('sha256').update(kept.uuid).digest('hex').toUpperCase();
      kept.reference = `${kept.kind === 'sd' ? 'S' : ''}26BE${capitals.slice(0, 9)}`;
      kept.verification = capitals.slice(20, 28);
      for (const grouped of kept.node.children.filter(({ name }) => name === 'groupedDeclarations')) {
        const other = [...statements.values()].find(({ reference }) => reference === grouped.children[0]!.text);
        if (other !== undefined) other.status = 'GROUPED';
      }
    }
  }

  function rulesBroken(body: Node): readonly string[] {
    const statement = find(body, 'statement')!;
    const broken: string[] = [];
    const activity = find(statement, 'activityType')!.text;
    const grouped = statement.children.filter(({ name }) => name === 'groupedDeclarations');
    let producers = 0;
    for (const commodity of statement.children.filter(({ name }) => name === 'commodities')) {
      const measure = find(commodity, 'descriptors', 'goodsMeasure')!;
      const has = (name: string): boolean => find(measure, name) !== undefined;
      const heading = find(commodity, 'hsHeading')!.text;
      if (!/^(01|02|09|12|15|16|18|20|21|23|29|38|40|44|47|48|94)/.test(heading))
        broken.push('EUDR_COMMODITIES_HS_CODE_INVALID');
      if (!has('netWeight') && !has('supplementaryUnit')) broken.push('EUDR_COMMODITIES_DESCRIPTOR_QUANTITY_MISSING');
      if (activity !== 'DOMESTIC' && has('percentageEstimationOrDeviation'))
        broken.push('EUDR_COMMODITIES_DESCRIPTOR_PERCENTAGE_ESTIMATION_NOT_ALLOWED');
      if (activity === 'DOMESTIC' && !has('percentageEstimationOrDeviation') && !has('supplementaryUnit'))
        broken.push('EUDR_COMMODITIES_DESCRIPTOR_PERCENTAGE_ESTIMATION_MISSING');
      if (activity !== 'DOMESTIC' && heading.startsWith('4403') && !has('supplementaryUnit'))
        broken.push('EUDR_COMMODITIES_DESCRIPTOR_SUPPLEMENTARY_UNIT_MISSING');
      if (
        heading.startsWith('44') &&
        find(commodity, 'speciesInfo', 'commonName') === undefined &&
        body.name.includes('Dds')
      )
        broken.push('EUDR_COMMODITIES_SPECIES_INFORMATION_EMPTY');
      for (const producer of commodity.children.filter(({ name }) => name === 'producers')) {
        producers++;
        const geojson = find(producer, 'geometryGeojson')?.text;
        if (geojson !== undefined && !isCollection(geojson)) broken.push('EUDR_COMMODITIES_PRODUCER_GEO_INVALID');
      }
    }
    if (producers === 0 && grouped.length === 0) broken.push('EUDR_COMMODITIES_PRODUCERS_EMPTY');
    for (const { children } of grouped) {
      const other = [...statements.values()].find(({ reference }) => reference === children[0]!.text);
      if (other === undefined || !['AVAILABLE', 'ARCHIVED'].includes(other.status))
        broken.push('EUDR_REFERENCED_STATEMENT_NOT_FOUND');
    }
    return broken;
  }

  function byNumbers(reference: string, verification: string): KeptStatement | undefined {
    return [...statements.values()].find((kept) => kept.reference === reference && kept.verification === verification);
  }

  function overviews(
    operation: string,
    kind: 'dds' | 'sd',
    found: readonly KeptStatement[],
    response: ServerResponse,
    bad: Fault | undefined,
  ): void {
    const seen = bad === 'empty' ? [] : found.filter(({ storedAt }) => now() - storedAt >= (options.unseenForMs ?? 0));
    const entries = seen.map((kept) => {
      const number = (name: string, value: string | null): string =>
        value === null ? '' : `<c:${name}>${value}</c:${name}>`;
      return `<p:${kind}OverviewList><c:uuid>${kept.uuid}</c:uuid><c:internalReferenceNumber>${escape(kept.internalReference)}</c:internalReferenceNumber>${number('referenceNumber', kept.reference)}${number('verificationNumber', kept.verification)}<c:status>${kept.status}</c:status>${number('rejectionReason', kept.reason)}<c:version>${kept.version}</c:version></p:${kind}OverviewList>`;
    });
    reply(response, NS[kind], `${operation}Response`, entries.join(''), bad);
  }

  function reply(response: ServerResponse, ns: string, name: string, content: string, bad: Fault | undefined): void {
    const text = `<?xml version='1.0' encoding='UTF-8'?><S:Envelope xmlns:S="${NS.env}"><S:Header><w:WS_REQUEST_ID xmlns:w="http://ec.europa.eu/sanco/tracesnt/message/v1">fake-${calls.length}</w:WS_REQUEST_ID></S:Header><S:Body><p:${name} xmlns:p="${ns}" xmlns:c="${NS.com}">${content}</p:${name}></S:Body></S:Envelope>`;
    switch (bad) {
      case 'hang_after_storing':
        return;
      case 'close_after_storing':
        response.destroy();
        return;
      case 'internal_fault_after_storing':
        return fault(response, 'S:Server', 'InternalSystemException', '');
      case 'html_200':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body><p>Please log in</body></html>');
        return;
      case 'truncated':
        return send(response, 200, text.slice(0, text.length - 40));
      case 'huge':
        return send(response, 200, `${text}<!--${'x'.repeat(3_000_000)}-->`);
      case 'doctype':
        return send(response, 200, `<!DOCTYPE a [<!ENTITY b "c">]>${text.slice(text.indexOf('<S:'))}`);
      case 'other_answer':
        return send(response, 200, text.replaceAll(name, 'SomethingElseResponse'));
      default:
        return send(response, 200, text);
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tracesnt/`,
    statements,
    calls,
    next: (operation, ...more) => void faults.set(operation, [...(faults.get(operation) ?? []), ...more]),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Paths and actions of the services, with the namespace that the reads of declarations are named in. */
function actionFits(operation: string, action: string | string[] | undefined, url: string | undefined): boolean {
  const got = String(action).replaceAll('"', '');
  const lower = `${operation[0]!.toLowerCase()}${operation.slice(1)}`;
  if (operation === 'EudrEcho') return got === NS.echo && url === '/tracesnt/ws/eudr/echo';
  if (operation === 'VerifyDeclaration')
    return got.endsWith('/verification/v3/verify-declaration') && url === '/tracesnt/ws/EUDRVerifyDeclarationServiceV3';
  if (!operation.includes('Sd'))
    return got === `${NS.dds}/${lower}` && url === '/tracesnt/ws/EUDRDueDiligenceStatementServiceV3';
  return (
    got === `${operation.startsWith('Get') ? NS.dds : NS.sd}/${lower}` &&
    url === '/tracesnt/ws/EUDRSimplifiedDeclarationServiceV3'
  );
}

function isCollection(base64: string): boolean {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8')).type === 'FeatureCollection';
  } catch {
    return false;
  }
}

function notFound(response: ServerResponse): void {
  fault(response, 'S:Client', 'Data not found.', `<d:NotFoundException xmlns:d="${NS.dds}"/>`);
}

function businessFault(
  response: ServerResponse,
  codes: readonly string[],
  field: string | null = null,
  status = 500,
): void {
  const errors = codes.map(
    (code) =>
      `<e:Error><e:ID>${code}</e:ID><e:Message languageID="en">Rule ${code}</e:Message>${field === null ? '' : `<e:Field>${field}</e:Field>`}</e:Error>`,
  );
  const detail = `<d:BusinessRulesValidationException xmlns:d="${NS.dds}" xmlns:e="${NS.err}">${errors.join('')}</d:BusinessRulesValidationException>`;
  fault(response, 'S:Client', 'Business rules validation failed', detail, status);
}

function fault(response: ServerResponse, code: string, text: string, detail: string, status = 500): void {
  const inner = `<faultcode>${code}</faultcode><faultstring>${escape(text)}</faultstring>${detail === '' ? '' : `<detail>${detail}</detail>`}`;
  send(response, status, `<S:Envelope xmlns:S="${NS.env}"><S:Body><S:Fault>${inner}</S:Fault></S:Body></S:Envelope>`);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/xml; charset=utf-8' }).end(text);
}

function xmlOf({ name, ns, children, text }: Node): string {
  const content = children.length > 0 ? children.map(xmlOf).join('') : escape(text);
  return `<x:${name} xmlns:x="${ns}">${content}</x:${name}>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '&#13;');
}
