/** How much of an upload has left, in bytes. */
export type OnSent = (sent: number, total: number) => void;

interface FormToSend {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form: FormData;
  readonly signal: AbortSignal | undefined;
}

/** What is used of `XMLHttpRequest`, which only browsers have. */
interface BrowserRequest {
  readonly status: number;
  readonly statusText: string;
  readonly response: unknown;
  readonly upload: {
    addEventListener(type: 'progress', listen: (event: { loaded: number; total: number }) => void): void;
  };
  responseType: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  addEventListener(type: 'load' | 'error' | 'abort' | 'loadend', listen: () => void): void;
  send(form: FormData): void;
  abort(): void;
}

/** Sends a form as `fetch` does, and reports how far it has come. Fails as `fetch` fails. */
export function sendForm(
  url: string,
  toSend: FormToSend,
  onSent: OnSent,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => BrowserRequest };
  // Browsers take a stream as a body over HTTP/2 alone, and some never.
  return XMLHttpRequest === undefined
    ? sendAsStream(url, toSend, onSent, fetch)
    : sendInBrowser(new XMLHttpRequest(), url, toSend, onSent);
}

async function sendAsStream(
  url: string,
  { method, headers, form, signal }: FormToSend,
  onSent: OnSent,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const boundary = `firstmile-${newKey()}`;
  const body = asMultipart(form, boundary);
  let sent = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      sent += piece.length;
      onSent(sent, body.size);
      controller.enqueue(piece);
    },
  });
  return await fetch(url, {
    method,
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: body.stream().pipeThrough(counted),
    duplex: 'half',
    ...(signal === undefined ? {} : { signal }),
  } as RequestInit);
}

/** A form as one body. Files are not read: the parts refer to them. */
function asMultipart(form: FormData, boundary: string): Blob {
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`;
    if (typeof value === 'string') parts.push(`${head}\r\n\r\n${value}\r\n`);
    else {
      const type = value.type === '' ? 'application/octet-stream' : value.type;
      parts.push(`${head}; filename="${escaped(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`, value, '\r\n');
    }
  }
  return new Blob([...parts, `--${boundary}--\r\n`]);
}

/** As the HTML standard writes names in a form. */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function sendInBrowser(
  request: BrowserRequest,
  url: string,
  { method, headers, form, signal }: FormToSend,
  onSent: OnSent,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => request.abort();
    signal?.addEventListener('abort', abort, { once: true });
    request.open(method, url);
    request.responseType = 'blob';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded, total));
    request.addEventListener('load', () => resolve(answerOf(request)));
    request.addEventListener('error', () => reject(new TypeError('the connection was lost')));
    request.addEventListener('abort', () => reject(signal?.reason ?? new DOMException('aborted', 'AbortError')));
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.send(form);
  });
}

function answerOf(request: BrowserRequest): Response {
  const { status, statusText, response } = request;
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  const body = status === 204 || status === 205 || status === 304 ? null : (response as Blob);
  return new Response(body, { status, statusText, headers });
}

/** 32 random hexadecimal digits. Pages without TLS have no `randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
