import type { FormToSend, OnSent } from './form-sender.ts';

/** Sends a form as `fetch` does, and reports how far it has come, which `fetch` cannot. Fails as `fetch` fails. */
export function sendForm(
  url: string,
  { method, headers, form, signal }: FormToSend,
  onSent: OnSent,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
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

function answerOf({ status, statusText, response }: XMLHttpRequest): Response {
  const body = status === 204 || status === 205 || status === 304 ? null : (response as Blob);
  return new Response(body, { status, statusText });
}
