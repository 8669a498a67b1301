import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { refusedAddress } from './address-policy.ts';
import { AttemptFailure, type FailureReason } from './delivery.ts';
import { addressRefused, resolveHost, type Resolve } from './resolve-host.ts';

export interface ConnectOptions {
  readonly resolve: Resolve;
  /** Loopback may be connected to: development. */
  readonly allowLocal: boolean;
  /** Certificates of authorities to trust in place of Node's own, as PEM; for tests and private authorities. */
  readonly ca?: readonly string[];
}

export interface Connection {
  readonly socket: Socket;
  /** What the socket is really connected to. */
  readonly address: string;
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly tlsMs: number | null;
}

/** How far a connection came: its parts as they are known. */
type Reached = Partial<Omit<Connection, 'socket'>>;

/**
 * Opens a connection to an origin; every address is checked, and the checked address is the one connected to.
 * `onReached` hears of every step, those before a failure too.
 */
export type Connect = (origin: URL, signal: AbortSignal, onReached?: (step: Reached) => void) => Promise<Connection>;

/** Head start of an address before the next one is tried as well. */
const STAGGER_MS = 300;
const MAX_SESSIONS = 512;

const TLS_REASONS: Readonly<Record<string, FailureReason>> = {
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  CERT_UNTRUSTED: 'tls_untrusted',
  INVALID_CA: 'tls_untrusted',
  INVALID_PURPOSE: 'tls_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
  ECONNRESET: 'connection_reset',
};

const TCP_REASONS: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
};

/** Makes the function that connects. The name is resolved once for each connection, so a later answer changes nothing. */
export function createConnect(options: ConnectOptions): Connect {
  const context = createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca && { ca: [...options.ca] }) });
  const sessions = new Map<string, Buffer>();
  return async (origin, signal, onReached = () => {}) => {
    const secure = origin.protocol === 'https:';
    const port = Number(origin.port) || (secure ? 443 : 80);
    const begun = performance.now();
    const addresses = await resolveHost(origin.hostname, options.resolve, options.allowLocal, signal);
    const resolved = performance.now();
    onReached({ dnsMs: resolved - begun });
    const socket = await connectFirst(addresses, port, signal);
    const connected = performance.now();
    const address = checkedAddress(socket, origin.hostname, options.allowLocal);
    onReached({ address, connectMs: connected - resolved });
    const ready = secure ? await secureSocket(socket, origin, { context, sessions }, signal) : socket;
    return {
      socket: ready,
      address,
      dnsMs: resolved - begun,
      connectMs: connected - resolved,
      tlsMs: secure ? performance.now() - connected : null,
    };
  };
}

/** The first of the addresses that answers; the others are dropped. */
function connectFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const open = new Set<Socket>();
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  let fault: NodeJS.ErrnoException | null = null;

  const tryNext = (): void => {
    clearTimeout(timer);
    if (next < addresses.length) {
      begin(addresses[next++] as string);
      timer = setTimeout(tryNext, STAGGER_MS);
    } else if (open.size === 0) {
      reject(new AttemptFailure(TCP_REASONS[fault?.code ?? ''] ?? 'connection_failed', undefined, { cause: fault }));
    }
  };
  const begin = (host: string): void => {
    const socket = connectTcp({ host, port, noDelay: true });
    open.add(socket);
    socket.once('connect', () => {
      open.delete(socket);
      resolve(socket);
    });
    socket.on('error', (error) => {
      fault = error;
      if (open.delete(socket)) tryNext();
    });
  };
  const onAbort = (): void => reject(new AttemptFailure('connect_timeout'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  else tryNext();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    // Whatever is still on its way when the race is over.
    next = addresses.length;
    for (const socket of open) socket.destroy();
    open.clear();
  });
}

/** The policy once more, on what the kernel says the socket is connected to. */
function checkedAddress(socket: Socket, host: string, allowLocal: boolean): string {
  const address = socket.remoteAddress ?? '';
  const fault = refusedAddress(address, allowLocal);
  if (fault === null) return address;
  socket.destroy();
  if (address === '') throw new AttemptFailure('connection_reset');
  throw addressRefused(host, address, fault);
}

function secureSocket(
  tcp: Socket,
  origin: URL,
  { context, sessions }: { context: SecureContext; sessions: Map<string, Buffer> },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const session = sessions.get(origin.host);
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({
    socket: tcp,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ['http/1.1'],
    secureContext: context,
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise switch the verification off.
    rejectUnauthorized: true,
    ...(session && { session }),
  });
  socket.once('secureConnect', () => resolve(socket));
  socket.on('session', (ticket: Buffer) => {
    sessions.delete(origin.host);
    sessions.set(origin.host, ticket);
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value as string);
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    sessions.delete(origin.host);
    const reason = TLS_REASONS[error.code ?? ''] ?? 'tls_failed';
    reject(new AttemptFailure(reason, undefined, { cause: error }));
  });
  // The other side may end the connection without a word, which TLS does not report as an error.
  socket.once('close', () => reject(new AttemptFailure('tls_failed')));
  const onAbort = (): void => {
    reject(new AttemptFailure('tls_timeout'));
    socket.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}
