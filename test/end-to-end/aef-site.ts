import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

import { serve, type Handler } from './byte-source-site.ts';

/** A request that reached the site. */
export interface SiteRequest {
  /** Path of the address. */
  readonly path: string;
  readonly range: string;
}

/** A local server of files and ranges of them over a folder that is laid out like the public addresses of AEF. */
export interface AefSite extends AsyncDisposable {
  /** Address of the folder, without a slash at the end. */
  readonly base: string;
  /** Every request since the site was opened or `forget` was called. */
  readonly requests: SiteRequest[];
  forget(): void;
  /** Has requests for matching paths answered by `handler`, until `behave`. */
  misbehave(paths: RegExp, handler: Handler): void;
  behave(): void;
}

/** Folders below which the files of each address lie. */
export const AEF_LAYOUT = {
  index: 'tge-labs/aef/v1/annual/aef_index.parquet',
  /** What paths in the index are relative to, and what stands for it there. */
  base: 'tge-labs/aef',
  pathPrefix: 's3://us-west-2.opendata.source.coop/tge-labs/aef/',
  mosaic: 'tge-labs/aef-mosaic',
} as const;

/** Place of a COG below `AEF_LAYOUT.base`. */
export function cogPath(year: number, zone: string, asset: string): string {
  return `v1/annual/${year}/${zone}/${asset}-0000000000-0000000000.tiff`;
}

/** Serves the files below `folder`, which are read again for every request: 404 where there is none. */
export async function openAefSite(folder: string): Promise<AefSite> {
  const requests: SiteRequest[] = [];
  const faults: { readonly paths: RegExp; readonly handler: Handler }[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    requests.push({ path, range: request.headers.range ?? '' });
    const fault = faults.findLast(({ paths }) => paths.test(path));
    if (fault !== undefined) {
      fault.handler(request, response);
      return;
    }
    readFile(join(folder, normalize(path))).then(
      (bytes) =>
        request.headers.range === undefined
          ? response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
          : serve(request, response, bytes, `"${path} ${bytes.length}"`),
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('no such file'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    forget: () => void requests.splice(0),
    misbehave: (paths, handler) => void faults.push({ paths, handler }),
    behave: () => void faults.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
