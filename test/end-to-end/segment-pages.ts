import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Polygon } from '../../src/geo/geometry.ts';
import { openZarrArray } from '../../src/readers/formats/zarr/open-zarr.ts';
import { folderStore } from '../../src/readers/formats/zarr/zarr-store.ts';
import { readStoreDocument } from '../../src/readers/label-store/write-label-store.ts';
import type { RunningProcess } from './run-service.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const PYTHON = '/usr/bin/python3';
const ORACLE = join(import.meta.dirname, '../oracles/labels/count_segments.py');

export interface Segment {
  readonly id: string;
  readonly geometry: Polygon;
  readonly properties: Readonly<Record<string, string | number | boolean | null>>;
}
export interface SegmentPage {
  readonly features: readonly Segment[];
  readonly numberReturned: number;
  readonly numberLeftOut: number;
  readonly links: readonly { readonly rel: string; readonly href: string }[];
  readonly detail?: string;
}

export interface AllSegments {
  readonly segments: readonly Segment[];
  /** Those that the pages say they passed over. */
  readonly leftOut: number;
}

export async function segmentPage(service: RunningProcess, path: string, status = 200): Promise<SegmentPage> {
  const answer = await service.fetch(path);
  const text = await answer.text();
  assert.equal(answer.status, status, text.slice(0, 500));
  return JSON.parse(text) as SegmentPage;
}

/** All pages of a set. */
export async function allSegments(service: RunningProcess, set: string, query: string): Promise<AllSegments> {
  const segments: Segment[] = [];
  let leftOut = 0;
  for (let path: string | undefined = `/ogc/collections/${set}/items?${query}`; path !== undefined;) {
    const page: SegmentPage = await segmentPage(service, path);
    segments.push(...page.features);
    leftOut += page.numberLeftOut;
    path = page.links.find(({ rel }) => rel === 'next')?.href.replace(service.url, '');
  }
  return { segments, leftOut };
}

export function idsOf({ segments }: Pick<AllSegments, 'segments'>): string[] {
  return segments.map(({ id }) => id).toSorted();
}

/** What scipy finds in the arrays of a store: the ids of its whole segments, and how many others there are. */
export async function scipySegments(folder: string, scratch: string): Promise<{ ids: string[]; cut: number }> {
  const { entries } = (await readStoreDocument(folder, signal))!;
  const found = { ids: [] as string[], cut: 0 };
  for (const { path, chunk, coverage } of entries) {
    const [west, north] = [0, 1].map((side) => Math.min(...coverage.map((box) => box[side])) - chunk);
    const [east, south] = [0, 1].map((side) => Math.max(...coverage.map((box) => box[side] + box[side + 2])) + chunk);
    const [width, height] = [east - west, south - north];
    const request = { width, height, column: west, row: north, chunk, labels: '', status: '' };
    for (const name of ['labels', 'status'] as const) {
      const array = (await openZarrArray(folderStore(folder), `${path}/${name}`, signal))!;
      const values = name === 'labels' ? new Uint32Array(width * height) : new Uint8Array(width * height);
      for (let cy = north / chunk; cy < south / chunk; cy++)
        for (let cx = west / chunk; cx < east / chunk; cx++) {
          const stored = cx < 0 || cy < 0 ? null : await array.chunk([cy, cx], signal);
          if (stored === null) continue;
          for (let y = 0; y < chunk; y++)
            values.set(
              stored.subarray(y * chunk, (y + 1) * chunk) as never,
              (cy * chunk + y - north) * width + cx * chunk - west,
            );
        }
      request[name] = join(scratch, name);
      await writeFile(request[name], values);
    }
    const child = run(PYTHON, [ORACLE], { maxBuffer: 50_000_000 });
    child.child.stdin?.end(JSON.stringify(request));
    const { whole, cut } = JSON.parse((await child).stdout) as { whole: readonly [number, number][]; cut: number };
    found.ids.push(...whole.map(([row, column]) => `${path.replaceAll('/', ':')}:${row}:${column}`));
    found.cut += cut;
  }
  return found;
}
