import { download } from '../../parts/files/download.ts';

/** Gives the body of an answer to the browser as a file; `onBytes` hears how many have come. */
export async function saveAnswer(response: Response, name: string, onBytes: (bytes: number) => void): Promise<void> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    pieces.push(part.value);
    bytes += part.value.length;
    onBytes(bytes);
  }
  download(new Blob(pieces, { type: response.headers.get('content-type') ?? 'application/octet-stream' }), name);
}

/** The name of a file for a name that people gave. */
export function fileStem(name: string): string {
  const stem = name
    .normalize('NFKD')
    .replaceAll(/[^\w-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return stem === '' ? 'collection' : stem.slice(0, 80);
}
