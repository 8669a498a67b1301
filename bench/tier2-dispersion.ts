/**
 * How alike the cells of a segment are, compared with scikit-image's felzenszwalb and SLIC at the same number of segments, at
 * several depths of the cut.
 *
 *     node bench/tier2-dispersion.ts [DEPTH ...]
 *
 * The dispersion of a segment is 1 - |mean of its cells' unit vectors|. A median can be taken over segments, over the
 * segments of 500 forest points, or over cells; all are shown, and the mean over cells (weighted by area). Some minutes
 * a depth. What is kept is of the depth that lookups have; every run finds the same.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { edgeStrength } from '../src/geo/segmentation/kernels/edge-kernel.ts';
import { DEFAULT_DEPTH } from '../src/geo/segmentation/find-segment.ts';
import { segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { realRaster } from './mirrored-raster.ts';
import { type BenchRow, saveResult } from './results.ts';

const given = process.argv.slice(2).map(Number);
const depths = given.length > 0 ? given : [DEFAULT_DEPTH];
const gate = join(import.meta.dirname, '../src/geo/segmentation/forest-gate.json');
const raster = realRaster();
const rows: BenchRow[] = [];
const folder = mkdtempSync(join(tmpdir(), 'bench-dispersion-'));
try {
  const codes = join(folder, 'codes.i8');
  writeFileSync(codes, raster.codes);
  for (const depth of depths) {
    const cut = segmentEdges(edgeStrength(windowOfGrid(raster)), depth);
    const labels = join(folder, 'labels.i32');
    writeFileSync(labels, new Uint8Array(cut.labels.buffer));
    console.log(`\ndepth ${depth}: ${cut.markers.length} segments`);
    console.log('segments  points   cells    area  | border  within | count  median size  below 10 cells');
    const script = join(import.meta.dirname, 'peers/tier2-dispersion.py');
    const python = spawn(
      '/usr/bin/python3',
      [script, codes, String(raster.width), String(raster.height), labels, gate],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const ended = once(python, 'exit');
    const found: Dispersion[] = [];
    for await (const line of createInterface({ input: python.stdout })) {
      found.push(JSON.parse(line));
      show(found.at(-1) as Dispersion);
    }
    if (depth === DEFAULT_DEPTH) rows.push(...rowsOf(cut.markers.length, found));
    const [code] = await ended;
    if (code !== 0) throw new Error(`the Python peer ended with ${code}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (rows.length > 0) saveResult('tier2-dispersion', rows, 1);

type Dispersion = Record<string, number> & { readonly name: string };

/** Ours next to the defaults of the others, and the least that other parameters of theirs give. */
function rowsOf(segments: number, [ours, ...others]: readonly Dispersion[]): BenchRow[] {
  const said = (one: Dispersion, of: string): string => `${one.name} ${one[of].toFixed(4)}`;
  const isDefault = ({ name }: Dispersion): boolean => name.includes('default');
  const figures = (of: string): string => {
    const tuned = others.filter((one) => !isDefault(one)).toSorted((a, b) => a[of] - b[of]);
    const theirs = others.filter(isDefault).map((one) => said(one, of));
    return `${ours[of].toFixed(4)}; ${theirs.join('; ')}; the least of ${tuned.length} other parameters: ${said(tuned[0], of)}`;
  };
  return [
    {
      what: `dispersion of segments, median, ${segments.toLocaleString('en')} of them by each method`,
      ours: figures('segments'),
      goal: 'below the defaults of both',
    },
    { what: 'the same, median over cells ([decision](decisions/2026-11-21-segmentation.md))', ours: figures('cells') },
  ];
}

function show(row: Dispersion): void {
  const figures = ['segments', 'points', 'cells', 'area'].map((name) => row[name].toFixed(4));
  const edges = ['border', 'within'].map((name) => row[name].toFixed(4));
  const sizes = `${row.count}  ${String(row.median).padStart(6)}  ${(100 * row.small).toFixed(0).padStart(10)} %`;
  console.log(`${figures.join('  ')}  | ${edges.join('  ')} | ${sizes}   ${row.name}`);
}
