import { exteriorsOf } from '../geometry/fit-geometry.ts';
import type { FittedPlot } from '../fit-plot.ts';
import { flat } from '../geometry/snap-rings.ts';
import { degrees, graticule, metresText, niceBelow, scaleFor, type Frame, type MapScale } from './map-scale.ts';
import { boundsOf, type Neighbour, type NeighbourIndex } from './neighbours.ts';
import {
  FAINT,
  FOREST_2020,
  GREEN,
  HAIRLINE,
  INK,
  LOST_ELSEWHERE,
  LOST_FOREST,
  NO_DATA,
  PAPER,
  RED,
  SOFT,
} from './palette.ts';
import { CELL_POINTS, type MapPixels, type PictureFrame } from './map-pixels.ts';
import type { PdfDocument } from './document.ts';
import type { Typesetter } from './typesetter.ts';
import { round } from '../../../geo/round.ts';
import { METRES_PER_DEGREE } from '../../../geo/ellipsoid.ts';

/** Vertices that are drawn of a geometry that is not fit. */
const MAX_VERTICES = 20_000;

interface MapParts {
  readonly doc: PdfDocument;
  readonly type: Typesetter;
  readonly neighbours: NeighbourIndex;
  /** Null where they could not be read; absent where nobody looks for them, or nothing was measured. */
  readonly pixels?: MapPixels | null;
}

const SMALL = { size: 6, color: SOFT } as const;
/** Points that a neighbour is drawn beyond its ground: the circle of a point with its line, the tip of a pointed corner. */
const MARK = 2.6;
const PARALLELS = 3;
/** As many as their labels have room for. */
const meridians = ({ width }: Frame): number => Math.max(2, Math.floor(width / 62));
const EAST = ['E', 'W'] as const;
const NORTH = ['N', 'S'] as const;

/** The part of the world that the map of a plot shows, in cells as fine as the page; null where there is nothing to draw. */
export function pictureFrame(plot: FittedPlot, frame: Frame): PictureFrame | null {
  const laid = layOut(plot, frame);
  if (laid === null) return null;
  const cells = (points: number): number => Math.max(1, Math.round(points / CELL_POINTS));
  return { bbox: laid.scale.bounds, columns: cells(frame.width), rows: cells(frame.height) };
}

/**
 * Draws a plot with the forest and the losses that its maps show, its neighbours, a graticule, a scale bar and north. What is
 * exported is drawn green; a plot that was left out as it came in, red and dashed. False where there is nothing to draw.
 */
export function drawPlotMap(
  plot: FittedPlot,
  key: string,
  frame: Frame,
  { doc, type, neighbours, pixels }: MapParts,
): boolean {
  doc.rect(frame.x, frame.y, frame.width, frame.height).fill(PAPER);
  const laid = layOut(plot, frame);
  if (laid === null) {
    const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
    type.line('No place on the map: no readable coordinates.', x, y, {
      size: 7,
      width: frame.width - 8,
      color: SOFT,
      align: 'center',
    });
    doc.rect(frame.x, frame.y, frame.width, frame.height).lineWidth(0.6).stroke(HAIRLINE);
    return false;
  }
  const { isExported, rings, points, radiusM, scale } = laid;
  doc.save().rect(frame.x, frame.y, frame.width, frame.height).clip();
  const grounds = pixels ? groundsOf(pixels) : null;
  if (pixels && grounds !== null) drawPixels(pixels, grounds, frame, doc);
  drawGraticule(frame, scale, doc);
  for (const neighbour of neighbours.around(wider(scale), key)) drawNeighbour(neighbour, scale, doc);
  const colour = isExported ? GREEN : RED;
  for (const ring of rings) drawRing(ring, scale, { colour, isDashed: !isExported, isFilled: !pixels }, doc);
  for (const [lon, lat] of points) drawPoint(lon, lat, radiusM, scale, colour, doc);
  doc.restore();
  doc.rect(frame.x, frame.y, frame.width, frame.height).lineWidth(0.6).stroke(FAINT);
  labelGraticule(frame, scale, doc, type);
  drawScaleBar(frame, scale, doc, type);
  drawNorth(frame, doc, type);
  const own = isExported ? 'Line: as exported; thin: others.' : 'Dashed: as it came in; thin: others.';
  const words = pixels === undefined ? own : `${own} ${groundWords(pixels, grounds)}`;
  type.paragraph(words, frame.x, frame.y + frame.height + 17, frame.width, { ...SMALL, maxLines: 2 });
  return true;
}

/** What the frame shows, and around it what the widest mark of a neighbour takes. */
function wider({ bounds, pointsPerMetre }: MapScale): MapScale['bounds'] {
  return grown(bounds, MARK / pointsPerMetre);
}

/** What the colours of the ground mean, of those that are drawn. */
function groundWords(pixels: MapPixels | null, grounds: Uint8Array | null): string {
  if (pixels === null || grounds === null) return 'Its maps could not be drawn.';
  const { baseline, baselineDataset, lossDataset } = pixels;
  const words = [
    baselineDataset === null ? 'forest not known' : grounds.includes(GROUND.forest) ? 'green, forest 2020' : '',
    lossDataset === null ? 'losses not known' : '',
    grounds.includes(GROUND.lostForest) ? 'red, lost since' : '',
    grounds.includes(GROUND.lostElsewhere) ? 'orange, other loss' : '',
    baselineDataset !== null && baseline.includes(255) ? 'grey, no data' : '',
  ].filter((word) => word !== '');
  return words.length === 0
    ? 'No forest in 2020, no loss since.'
    : `${words.join('; ')}.`.replace(/^./, (first) => first.toUpperCase());
}

/** Where a plot is drawn. */
interface LaidOut extends Outline {
  readonly isExported: boolean;
  /** Of the circle that a point stands for; 0 for none. */
  readonly radiusM: number;
  readonly scale: MapScale;
}

function layOut(plot: FittedPlot, frame: Frame): LaidOut | null {
  const isExported = plot.members.length > 0;
  const { rings, points } = isExported ? exported(plot) : readOutline(plot.record.feature.geometry);
  if (rings.length + points.length === 0) return null;
  const radiusM = isExported && plot.pointAreaHa !== null ? Math.sqrt((plot.pointAreaHa * 10_000) / Math.PI) : 0;
  return { isExported, rings, points, radiusM, scale: scaleFor(grown(boundsOf(rings, points), radiusM), frame) };
}

function drawRing(
  ring: Float64Array,
  scale: MapScale,
  { colour, isDashed, isFilled }: { readonly colour: string; readonly isDashed: boolean; readonly isFilled: boolean },
  doc: PdfDocument,
): void {
  if (isFilled) {
    trace(ring, scale, doc);
    doc.lineJoin('round').fillColor(colour).fillOpacity(0.16).fill();
    doc.fillOpacity(1);
  }
  // A white edge keeps the line apart from pixels of its own colour.
  trace(ring, scale, doc);
  doc.lineJoin('round').lineWidth(2.9).strokeColor('#ffffff').stroke();
  trace(ring, scale, doc);
  doc.lineWidth(1.3).strokeColor(colour);
  if (isDashed) doc.dash(4, { space: 2.5 });
  doc.stroke().undash();
}

/** What a cell of a picture shows. */
const GROUND = { none: 0, forest: 1, lostForest: 2, lostElsewhere: 3, unknown: 4 } as const;
const COLOURS = [null, FOREST_2020, LOST_FOREST, LOST_ELSEWHERE, NO_DATA] as const;

/** Each cell of a picture as a number of `GROUND`. */
function groundsOf({ baseline, lossYears }: MapPixels): Uint8Array {
  const grounds = new Uint8Array(lossYears.length);
  for (let cell = 0; cell < grounds.length; cell++) {
    const forest = baseline[cell];
    if (lossYears[cell] > 0) grounds[cell] = forest === 1 ? GROUND.lostForest : GROUND.lostElsewhere;
    else grounds[cell] = forest === 1 ? GROUND.forest : forest === 0 ? GROUND.none : GROUND.unknown;
  }
  return grounds;
}

/** Fills the cells of a picture, those next to each other of one colour at once. */
function drawPixels({ columns, rows }: MapPixels, grounds: Uint8Array, frame: Frame, doc: PdfDocument): void {
  const [width, height] = [frame.width / columns, frame.height / rows];
  let last: string | null = null;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns;) {
      const ground = grounds[row * columns + column];
      let end = column + 1;
      while (end < columns && grounds[row * columns + end] === ground) end++;
      const colour = COLOURS[ground];
      if (colour !== null) {
        if (last !== null && last !== colour) doc.fill(last);
        last = colour;
        // A little more than the cell, so that no seams show between rows.
        doc.rect(frame.x + column * width, frame.y + row * height, (end - column) * width, height + 0.15);
      }
      column = end;
    }
  if (last !== null) doc.fill(last);
}

type Outline = Pick<Neighbour, 'rings' | 'points'>;

function exported({ members }: FittedPlot): Outline {
  return {
    rings: members.flatMap(exteriorsOf).map(flat),
    points: members.flatMap((member) => {
      if (member.type === 'Point') return [member.coordinates as readonly [number, number]];
      return member.type === 'MultiPoint' ? (member.coordinates as (readonly [number, number])[]) : [];
    }),
  };
}

function grown([west, south, east, north]: MapScale['bounds'], metres: number): MapScale['bounds'] {
  const lat = metres / METRES_PER_DEGREE;
  const lon = lat / Math.max(0.01, Math.cos((south * Math.PI) / 180));
  return [west - lon, south - lat, east + lon, north + lat];
}

/** Adds the ring to the path, without the vertices that lie on the same spot of the page. */
function trace(ring: Float64Array, scale: MapScale, doc: PdfDocument): void {
  let [lastX, lastY] = [NaN, NaN];
  for (let i = 0; i < ring.length; i += 2) {
    const [left, top] = scale.toPage(ring[i], ring[i + 1]);
    const [x, y] = [round(left, 2), round(top, 2)];
    if (Math.abs(x - lastX) < 0.05 && Math.abs(y - lastY) < 0.05) continue;
    if (i === 0) doc.moveTo(x, y);
    else doc.lineTo(x, y);
    [lastX, lastY] = [x, y];
  }
  doc.closePath();
}

function drawNeighbour({ rings, points }: Neighbour, scale: MapScale, doc: PdfDocument): void {
  for (const ring of rings) {
    trace(ring, scale, doc);
    doc.lineWidth(0.5).fillOpacity(0.1).fillAndStroke(FAINT, FAINT);
    doc.fillOpacity(1);
  }
  for (const [lon, lat] of points) {
    const [x, y] = scale.toPage(lon, lat);
    doc.circle(x, y, 1.8).lineWidth(0.5).fillAndStroke('#ffffff', FAINT);
  }
}

function drawPoint(lon: number, lat: number, radiusM: number, scale: MapScale, colour: string, doc: PdfDocument): void {
  const [x, y] = scale.toPage(lon, lat);
  const radius = radiusM * scale.pointsPerMetre;
  if (radius > 4) {
    doc.circle(x, y, radius).fillColor(colour).fillOpacity(0.1).fill();
    doc.fillOpacity(1).circle(x, y, radius).lineWidth(0.8).dash(3, { space: 2 }).stroke(colour).undash();
  }
  doc.circle(x, y, 3.2).lineWidth(1).fillAndStroke(colour, '#ffffff');
}

function drawGraticule(frame: Frame, scale: MapScale, doc: PdfDocument): void {
  const [west, south, east, north] = scale.bounds;
  doc.lineWidth(0.4).strokeColor(HAIRLINE);
  for (const lon of graticule(west, east, meridians(frame)).at) {
    const [x] = scale.toPage(lon, south);
    doc
      .moveTo(x, frame.y)
      .lineTo(x, frame.y + frame.height)
      .stroke();
  }
  for (const lat of graticule(south, north, PARALLELS).at) {
    const [, y] = scale.toPage(west, lat);
    doc
      .moveTo(frame.x, y)
      .lineTo(frame.x + frame.width, y)
      .stroke();
  }
}

/** A small text that can be read on any ground. */
function plated(text: string, x: number, y: number, doc: PdfDocument, type: Typesetter): void {
  doc
    .roundedRect(x - 2, y - 6, type.width(text, SMALL) + 4, 8, 1.5)
    .fillOpacity(0.8)
    .fill('#ffffff')
    .fillOpacity(1);
  type.line(text, x, y, SMALL);
}

function labelGraticule(frame: Frame, scale: MapScale, doc: PdfDocument, type: Typesetter): void {
  const [west, south, east, north] = scale.bounds;
  const lons = graticule(west, east, meridians(frame));
  for (const lon of lons.at) {
    const [x] = scale.toPage(lon, south);
    if (x > frame.x + 18 && x < frame.x + frame.width - 18)
      type.line(degrees(lon, lons.decimals, EAST), x, frame.y + frame.height + 8, { ...SMALL, align: 'center' });
  }
  const lats = graticule(south, north, PARALLELS);
  for (const lat of lats.at) {
    const [, y] = scale.toPage(west, lat);
    if (y > frame.y + 8 && y < frame.y + frame.height - 8)
      plated(degrees(lat, lats.decimals, NORTH), frame.x + 4, y - 2, doc, type);
  }
}

/** One line high, so that it lies in the ground that is left free below a plot. */
function drawScaleBar(frame: Frame, { pointsPerMetre }: MapScale, doc: PdfDocument, type: Typesetter): void {
  const metres = niceBelow((frame.width * 0.3) / pointsPerMetre);
  const length = metres * pointsPerMetre;
  const text = metresText(metres);
  const [x, y] = [frame.x + frame.width - 6 - length, frame.y + frame.height - 7];
  const words = type.width(text, SMALL) + 4;
  doc
    .roundedRect(x - words - 3, y - 3.6, words + length + 6, 9.6, 2)
    .fillOpacity(0.85)
    .fill('#ffffff')
    .fillOpacity(1);
  doc.rect(x, y, length / 2, 2.4).fill(INK);
  doc.rect(x, y, length, 2.4).lineWidth(0.5).stroke(INK);
  type.line(text, x - words, y + 3.4, SMALL);
}

function drawNorth(frame: Frame, doc: PdfDocument, type: Typesetter): void {
  const [x, y] = [frame.x + frame.width - 12, frame.y + 8];
  doc
    .circle(x, y + 4, 10)
    .fillOpacity(0.85)
    .fill('#ffffff')
    .fillOpacity(1);
  doc
    .moveTo(x, y - 4.4)
    .lineTo(x + 3, y + 3.6)
    .lineTo(x, y + 1.6)
    .lineTo(x - 3, y + 3.6)
    .closePath()
    .fill(INK);
  type.line('N', x, y + 10.6, { size: 6, weight: 600, align: 'center' });
}

/** What can be drawn of any value that was meant as a geometry: its lists of positions in range. Never throws. */
function readOutline(geometry: unknown): Outline {
  const rings: Float64Array[] = [];
  const points: (readonly [number, number])[] = [];
  let left = MAX_VERTICES;
  const visit = (value: unknown, depth: number): void => {
    if (depth > 24 || left <= 0 || typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) {
      const { type, coordinates, geometries } = value as {
        type?: unknown;
        coordinates?: unknown;
        geometries?: unknown;
      };
      if (type === 'MultiPoint' && Array.isArray(coordinates))
        for (const at of coordinates.filter(isPosition).slice(0, left)) points.push([at[0], at[1]]);
      else if (isPosition(coordinates)) points.push([coordinates[0], coordinates[1]]);
      else visit(coordinates, depth + 1);
      visit(geometries, depth + 1);
      return;
    }
    const positions = value.filter(isPosition).slice(0, left);
    if (positions.length > 0) {
      left -= positions.length;
      if (positions.length === 1) points.push([positions[0][0], positions[0][1]]);
      else rings.push(Float64Array.from(positions.flatMap(([lon, lat]) => [lon, lat])));
    } else for (const part of value) visit(part, depth + 1);
  };
  visit(geometry, 0);
  return { rings, points };
}

function isPosition(value: unknown): value is [number, number, ...unknown[]] {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'number' &&
    typeof value[1] === 'number' &&
    Math.abs(value[0]) <= 180 &&
    Math.abs(value[1]) <= 90
  );
}
