import { readLines } from './read-lines.ts';

interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** The Server-Sent Events of an answer, until it ends. Comments and ids are passed over. */
export async function* readEvents(response: Pick<Response, 'body'>): AsyncGenerator<ServerEvent, void> {
  let event = 'message';
  let data: string[] = [];
  for await (const bytes of readLines(response)) {
    const line = new TextDecoder().decode(bytes);
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      [event, data] = ['message', []];
    } else if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
}
