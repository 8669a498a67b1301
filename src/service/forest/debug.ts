import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveCut, rawOutline } from '../../forest/answer.ts';
import type { Patch } from '../../forest/patch.ts';
import type { Polygon, Position } from '../../geo/geometry.ts';
import { latticeProjection } from '../../geo/outline/lattice.ts';
import { ALGORITHM, DEFAULT_DEPTH } from '../../geo/segmentation/find-segment.ts';
import { MIN_BLOCK_CONFIDENCE } from '../../geo/segmentation/detect-block-phase.ts';
import { edgeStrength } from '../../geo/segmentation/kernels/edge-kernel.ts';
import { maskRing } from '../../geo/segmentation/region/label-region-proof.ts';
import { poolCells } from '../../geo/segmentation/pool-cells.ts';
import { segmentEdges } from '../../geo/segmentation/segment-edges.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { encodeTiff, type TiffRaster } from '../../readers/formats/tiff/encode-tiff.ts';
import { drawCut, edgeColours, embeddingColours, labelColours, viewAround, type CellRing } from './picture.ts';
import { encodePng } from './png.ts';
import type { ForestRecord } from './recorder.ts';
import { round } from '../../geo/round.ts';

/** The cells that a lookup read: corner in units of the CRS, sides in cells. */
interface CellWindow {
  readonly x: number;
  readonly y: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** Pixels of the raster. */
  readonly x0: number;
  readonly y0: number;
  /** Cells. */
  readonly width: number;
  readonly height: number;
}

/**
 * Writes what a recorded lookup did into a folder, for QGIS and for eyes: `window.json` always, the rasters and the
 * picture when something was cut, the outlines when it was forest. Returns the names of the files.
 */
export async function writeForestDebug(
  folder: string,
  record: ForestRecord,
  point: LonLat,
  patch: Patch,
  signal: AbortSignal,
): Promise<string[]> {
  const files = new Map<string, Uint8Array | string>();
  const { cut, segment, outline } = record.stages() ?? { cut: null, segment: null, outline: null };
  const window = cut === null ? null : windowOf(record, cut);
  const polygons = segment === null || outline === null ? null : { raw: rawOutline(segment), smooth: outline.polygon };
  files.set('window.json', `${JSON.stringify(describe(record, cut, window, point, patch), null, 2)}\n`);
  if (polygons !== null) {
    files.set('raw.geojson', geojson(polygons.raw, patch));
    files.set('smooth.geojson', geojson(polygons.smooth, patch));
  }
  if (cut !== null && window !== null) await addRasters(files, cut, window, polygons, point, signal);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(join(folder, name), content);
  return [...files.keys()];
}

async function addRasters(
  files: Map<string, Uint8Array | string>,
  cut: LiveCut,
  window: CellWindow,
  polygons: { readonly raw: Polygon; readonly smooth: Polygon } | null,
  point: LonLat,
  signal: AbortSignal,
): Promise<void> {
  const { raster, found, phase } = cut;
  const { width, height } = window;
  const codes = await raster.window(window.x0, window.y0, 2 * width, 2 * height, signal);
  const edges = edgeStrength(codes);
  const inner = edges.values.slice();
  maskRing(inner, width, height);
  const { labels } = segmentEdges({ width, height, values: inner }, DEFAULT_DEPTH);
  const mask = new Uint8Array(width * height);
  const [left, top] = [found.column - (window.x0 - phase.x) / 2, found.row - (window.y0 - phase.y) / 2];
  for (let row = 0; row < found.height; row++)
    mask.set(found.mask.subarray(row * found.width, (row + 1) * found.width), (top + row) * width + left);
  const place = {
    width,
    height,
    transform: [window.cellWidth, 0, window.x, 0, -window.cellHeight, window.y],
    crs: raster.crs,
  } as const;
  const grids: Readonly<Record<string, Pick<TiffRaster, 'values' | 'nodata' | 'sampleType'>>> = {
    'edge-strength.tif': { values: edges.values, nodata: Number.NaN, sampleType: 'float32' },
    'labels.tif': { values: labels, nodata: 0, sampleType: 'int32' },
    'segment.tif': { values: mask, nodata: 0, sampleType: 'uint8' },
  };
  for (const [name, grid] of Object.entries(grids)) files.set(name, encodeTiff({ ...place, bands: 1, ...grid }));
  const inCells = cellsOf(window, raster.crs);
  const rings = (polygon: Polygon | undefined): CellRing[] =>
    polygon?.coordinates.map((ring) => ring.map(inCells)) ?? [];
  const outlines = { raw: rings(polygons?.raw), smooth: rings(polygons?.smooth), point: inCells(point) };
  const none = { ...outlines, raw: [], smooth: [] };
  const pictures = {
    'embeddings.png': { colourOf: embeddingColours(poolCells(codes)), ...none },
    'edge-strength.png': { colourOf: edgeColours(edges), ...none },
    'labels.png': { colourOf: labelColours(labels), ...none },
    'outline.png': { colourOf: edgeColours(edges), ...outlines },
  };
  const around = viewAround([...outlines.raw.flat(), ...outlines.smooth.flat(), outlines.point], window);
  for (const [name, picture] of Object.entries(pictures))
    files.set(name, encodePng(drawCut({ ...picture, around, width })));
}

/** All cells that the lookup read, as one rectangle. */
function windowOf({ reads }: ForestRecord, { raster, phase }: LiveCut): CellWindow {
  const left = Math.min(...reads.map(({ x0 }) => x0));
  const top = Math.min(...reads.map(({ y0 }) => y0));
  const right = Math.max(...reads.map(({ x0, width }) => x0 + width));
  const bottom = Math.max(...reads.map(({ y0, height }) => y0 + height));
  // Reads of whole cells; should one begin elsewhere, the lattice of cells still decides.
  const x0 = 2 * Math.floor((left - phase.x) / 2) + phase.x;
  const y0 = 2 * Math.floor((top - phase.y) / 2) + phase.y;
  const [a, , c, , e, f] = raster.transform;
  return {
    x: a * x0 + c,
    y: e * y0 + f,
    cellWidth: 2 * a,
    cellHeight: -2 * e,
    x0,
    y0,
    width: Math.ceil((right - x0) / 2),
    height: Math.ceil((bottom - y0) / 2),
  };
}

/** From degrees to columns and rows of the window. */
function cellsOf({ x, y, cellWidth, cellHeight }: CellWindow, crs: string) {
  const projection = latticeProjection(crs);
  const out = new Float64Array(2);
  return (position: Position): readonly [number, number] => {
    projection.toXY(position[0] ?? 0, position[1] ?? 0, out, 0);
    return [((out[0] ?? 0) - x) / cellWidth, (y - (out[1] ?? 0)) / cellHeight];
  };
}

function geojson(geometry: Polygon, { properties }: Patch): string {
  return `${JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', geometry, properties }] })}\n`;
}

function describe(record: ForestRecord, cut: LiveCut | null, window: CellWindow | null, point: LonLat, patch: Patch) {
  const phase = record.phase();
  const { findRaster, findPhase } = record.times();
  return {
    point,
    algorithm: ALGORITHM,
    raster: cut && { id: cut.raster.id, year: cut.raster.year, crs: cut.raster.crs, transform: cut.raster.transform },
    phase: phase && {
      ...phase,
      // JSON has no Infinity, which stands for blocks of equal pixels.
      confidence: Number.isFinite(phase.confidence) ? round(phase.confidence, 2) : 'infinite',
      usable: phase.confidence >= MIN_BLOCK_CONFIDENCE,
    },
    window,
    reads: record.reads.map(({ ms, ...read }) => ({ ...read, ms: round(ms, 2) })),
    ms: { findRaster: round(findRaster, 2), findPhase: round(findPhase, 2) },
    segment: cut && {
      column: cut.found.column,
      row: cut.found.row,
      width: cut.found.width,
      height: cut.found.height,
      cells: cut.found.area,
      marker: cut.found.marker,
      truncated: cut.found.truncated,
      proven: cut.found.proven,
      forestProbability: cut.probability,
    },
    patch: patch.properties,
  };
}
