/**
 * Evaluates the plots that developers have (../shared/data) by one map and by all layers, and writes `plots.json` next to this file,
 * which docs/verdicts.md shows:
 *
 *     node tools/verdicts/measure-plots.ts [--public] && npm run docs
 *
 * Without `--public` only the rasters of that folder vote: two crops of Hansen's maps over a part of one of the plots. With it those at
 * public addresses do too, which takes a network.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const DATA = resolve(ROOT, '../shared/data');
const UNTIL = '2024-12-31';
const isPublic = process.argv.includes('--public');

/** Files with the commodities they are evaluated for; null: none is stated. */
const FILES: readonly (readonly [path: string, commodities: readonly (string | null)[]])[] = [
  ['plots/whisp_geojson_large_example.geojson', [null, 'cocoa', 'soy', 'cattle', 'timber']],
  ['plots/ptpn_KGPAR.kml', ['palm']],
  ['rasters/sierra_de_neiba_478140.gpkg', ['coffee', 'soy', 'cattle', 'timber']],
];
const HANSEN = { kind: 'cog', version: '1.11', licence: 'CC-BY-4.0', coverage: [-72, 18, -71, 19] };
const raster = (layer: string): string => join(DATA, `rasters/Hansen_GFC-2023-v1.11_${layer}_20N_080W.tif`);
const CATALOGUE = [
  {
    ...HANSEN,
    id: 'hansen-treecover2000-crop',
    role: 'forest-mask',
    path: raster('treecover2000'),
    date: '2000',
    attribution: 'Hansen/UMD/Google/USGS/NASA',
    options: { threshold: 30, lessLossOf: 'hansen-lossyear-crop' },
  },
  {
    ...HANSEN,
    id: 'hansen-lossyear-crop',
    role: 'loss-year',
    path: raster('lossyear'),
    date: '2023',
    attribution: 'Hansen/UMD/Google/USGS/NASA',
    options: { lastYear: 2023 },
  },
];

interface Evaluated {
  readonly eudr_status: string;
  readonly eudr_comment: string;
  readonly convergence: {
    readonly verdict: string;
    readonly comment: string;
    readonly votes: readonly { readonly dataset: string; readonly state: string }[];
  };
}

if (!existsSync(DATA)) throw new Error('wanted the folder ../shared/data next to this one');
const folder = mkdtempSync(join(tmpdir(), 'firstmile-verdicts-'));
const catalogue = join(folder, 'catalogue.json');
writeFileSync(catalogue, JSON.stringify(CATALOGUE));
const rows = [];
for (const [path, commodities] of FILES)
  for (const commodity of commodities) {
    const plots = await evaluate(join(DATA, path), commodity);
    // Plots of which the same is said are one row.
    const same = Map.groupBy(plots, ({ eudr_status: before, convergence: { verdict, comment, votes } }) =>
      JSON.stringify([before, verdict, comment, votes.map(({ dataset, state }) => `${dataset} ${state}`)]),
    );
    for (const some of same.values()) {
      const [{ eudr_status: before, eudr_comment: said, convergence }] = some;
      const { verdict: after, comment } = convergence;
      const reason = `${said.replace(` ${comment}`, '')} ${comment}`;
      rows.push({
        file: basename(path),
        commodity,
        plots: some.length,
        votes: convergence.votes.length,
        before,
        after,
        reason,
      });
    }
  }
rmSync(folder, { recursive: true });
const layers = [...CATALOGUE.map(({ id }) => id), ...(isPublic ? ['those at public addresses'] : [])];
writeFileSync(join(import.meta.dirname, 'plots.json'), `${JSON.stringify({ until: UNTIL, layers, rows }, null, 2)}\n`);

/** What the command line says of each plot of a file. */
async function evaluate(path: string, commodity: string | null): Promise<readonly Evaluated[]> {
  const output = join(folder, 'verdicts.ndjson');
  const crop = commodity === null ? [] : ['--commodity', commodity];
  const env = {
    ...process.env,
    CATALOGUE: catalogue,
    DATA_DIR: join(folder, 'data'),
    AUTO_DATA: 'off',
    MODELS: 'manual',
    PUBLIC_RASTERS: isPublic ? 'on' : 'off',
  };
  await new Promise<void>((done, fail) => {
    const args = [join(ROOT, 'bin/firstmile.js'), 'verdict', path, ...crop, '--until', UNTIL, '--output', output];
    execFile(process.execPath, args, { env }, (error, _, said) =>
      // 1: some plot is not low.
      error === null || error.code === 1 ? done() : fail(new Error(said)),
    );
  });
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly properties: Evaluated }).properties);
}
