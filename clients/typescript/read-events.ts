import { readLines } from './read-lines.ts';

interface ServerEvent {
  readonly event: string;
  readonly data: string;
  /** The last that was given, by this event or one before; empty where none was. */
  readonly id: string;
}

/** The Server-Sent Events of an answer, until it ends. Comments are passed over. `silenceMs` is how long nothing may come. */
export async function* readEvents(
  response: Pick<Response, 'body'>,
  silenceMs = Infinity,
  signal?: AbortSignal,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let event = 'message';
  let data: string[] = [];
  let id = '';
  for await (const bytes of readLines(response, silenceMs, signal)) {
    const line = decoder.decode(bytes);
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n'), id };
      [event, data] = ['message', []];
    } else if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
}
