// Cuts an edge image into segments, in AssemblyScript with WebAssembly SIMD.
// `tools/kernels/compile-kernels.ts` compiles it into `cut-kernel.wasm.ts`; a test compiles it again and
// compares. What it computes, and why that is right, is written down plainly in `segment-edges-plain.ts` and the steps
// it names, and in `segment-in-window-plain.ts`; the functions here have the names of those steps.
// Places are 32-bit indices into arrays with a border of masked places; see `relief.ts`.

const MASKED: i32 = 0x7fff_ffff;
/** Masked, and in the outermost ring of a window, but with data: where a segment may go on. */
const OPEN: i32 = 0x7fff_fffe;
const RADIX: i32 = 2048;

/** Sides of a place and of a window, in raster order of the neighbours. */
const UP: i32 = 1;
const LEFT: i32 = 2;
const RIGHT: i32 = 4;
const DOWN: i32 = 8;

let stride: i32 = 0;
let first: i32 = 0;
let last: i32 = 0;

// Addresses of the arrays, and in brackets what an element is.
let heights: usize = 0; // place -> bits of its strength (i32), from OPEN on where masked
let sources: usize = 0; // place -> place the flood comes from (i32), -1 where masked
let basins: usize = 0; // place -> basin (i32), -1 where masked; in the end of `cut` label
let limits: usize = 0; // place -> highest bits of a strength less than `depth` above the bottom of its basin (i32)
let saddles: usize = 0; // saddles (i32): 16 * place + sides on which the flood may pass; later a stack of places
let spare: usize = 0; // saddles (i32), for sorting; before that place -> basin of a bottom, later place -> marker
let bottoms: usize = 0; // basin -> its lowest place (i32), in raster order
let lakes: usize = 0; // basin -> basin it has been joined to (i32); later sides on which the segment is open
let inlets: usize = 0; // basin -> place the flood enters over (i32), -1 at markers
let joins: usize = 0; // saddle, basin, basin (3 x i32)
let inletKeys: usize = 0; // basin -> height and place of its inlet (i64), 0 at markers; place -1 stands for masked
let counts: usize = 0; // digit -> count (i32)
let foundAt: usize = 0; // what `segment` says of what it found (i32)

let saddleCount: i32 = 0;
let basinCount: i32 = 0;
let joinCount: i32 = 0;

@inline
function get(array: usize, index: i32): i32 {
  return load<i32>(array + (<usize>index << 2));
}
@inline
function set(array: usize, index: i32, value: i32): void {
  store<i32>(array + (<usize>index << 2), value);
}
@inline
function get4(array: usize, index: i32): v128 {
  return v128.load(array + (<usize>index << 2));
}
@inline
function set4(array: usize, index: i32, values: v128): void {
  v128.store(array + (<usize>index << 2), values);
}

@inline
function isLower(a: i32, b: i32): bool {
  const heightA = get(heights, a);
  const heightB = get(heights, b);
  return heightA < heightB || (heightA == heightB && a < b);
}

/** Lays out the arrays for an image and masks it all. Returns where the strength of its first cell goes, or 0. */
export function prepare(width: i32, height: i32): usize {
  stride = width + 2;
  first = stride + 1;
  last = (height + 1) * stride - 2;
  const places = stride * (height + 2);
  const half = places / 2 + 1;
  let end: usize = 1024;
  heights = end;
  end = after(end, places);
  sources = end;
  end = after(end, places);
  basins = end;
  end = after(end, places);
  limits = end;
  end = after(end, places);
  saddles = end;
  end = after(end, places);
  spare = end;
  end = after(end, places);
  bottoms = end;
  end = after(end, half);
  lakes = end;
  end = after(end, half);
  inlets = end;
  end = after(end, half);
  joins = end;
  end = after(end, 3 * half);
  inletKeys = end + 16;
  end = after(inletKeys, 2 * half);
  counts = end;
  end = after(end, RADIX + 1);
  foundAt = end;
  end = after(end, 7);
  const pages = <i32>((end + 0xffff) >> 16);
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return 0;
  for (let place = 0; place < places; place += 4) set4(heights, place, i32x4.splat(MASKED));
  return heights + (<usize>first << 2);
}

/** The first 64-byte boundary after an array of 32-bit elements, with room for a read of four at its end. */
@inline
function after(array: usize, elements: i32): usize {
  return (array + (<usize>elements << 2) + 16 + 63) & ~63;
}

/** Cuts the image whose strengths have been written, rows `width + 2` apart. Returns the number of segments. */
export function cut(depth: f64): i32 {
  maskNaN();
  flood(depth);
  findSources();
  return label();
}

/** Where the label of the first cell is, after `cut`; rows `width + 2` apart. */
export function labels(): usize {
  return basins + (<usize>first << 2);
}

/** As `cut`, with the outermost ring of the window masked; what has data there stays known for `tally`. */
export function cutInside(depth: f64): i32 {
  maskNaN();
  maskRing();
  flood(depth);
  findSources();
  return label();
}

/** Where the places of the markers are, after `cut`, in raster order. */
export function markers(): usize {
  return bottoms;
}

/** Finds the basins, which of them have a marker, and over which saddle the flood enters each of the others. */
function flood(depth: f64): void {
  findNext();
  gather(depth);
  findSaddles();
  sortByHeight();
  joinBasins();
  findInlets();
  findInletKeys();
}

function maskNaN(): void {
  for (let place = first; place <= last; place += 4) {
    // Adding zero makes a negative zero positive, whose bits order as they should.
    const strength = f32x4.add(get4(heights, place), f32x4.splat(0));
    set4(heights, place, v128.bitselect(strength, i32x4.splat(MASKED), f32x4.eq(strength, strength)));
  }
}

/** Leaves in `sources` the lowest neighbour, or the place itself, and the same in `basins`; 0 there where masked. */
function findNext(): void {
  const none = i32x4.splat(-1);
  const open = i32x4.splat(OPEN);
  for (let place = 0; place < first; place += 4) {
    set4(sources, place, none);
    set4(basins, place, i32x4.splat(0));
  }
  for (let place = last + 1; place <= last + stride; place += 4) {
    set4(sources, place, none);
    set4(basins, place, i32x4.splat(0));
  }
  let here = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
  const left = i32x4.splat(-1);
  const right = i32x4.splat(1);
  const down = i32x4.splat(stride);
  for (let place = first; place <= last; place += 4) {
    const own = get4(heights, place);
    let height = get4(heights, place - stride);
    let lowest = i32x4.sub(here, down);
    let other = get4(heights, place - 1);
    let isLess = i32x4.lt_s(other, height);
    height = v128.bitselect(other, height, isLess);
    lowest = v128.bitselect(i32x4.add(here, left), lowest, isLess);
    isLess = i32x4.lt_s(own, height);
    height = v128.bitselect(own, height, isLess);
    lowest = v128.bitselect(here, lowest, isLess);
    other = get4(heights, place + 1);
    isLess = i32x4.lt_s(other, height);
    height = v128.bitselect(other, height, isLess);
    lowest = v128.bitselect(i32x4.add(here, right), lowest, isLess);
    other = get4(heights, place + stride);
    lowest = v128.bitselect(i32x4.add(here, down), lowest, i32x4.lt_s(other, height));
    const masked = i32x4.ge_s(own, open);
    set4(sources, place, v128.or(lowest, masked));
    set4(basins, place, v128.andnot(lowest, masked));
    here = i32x4.add(here, i32x4.splat(4));
  }
}

/**
 * Finds the bottom of every place's basin by going two steps at once until nothing moves, up and down the image in
 * turn; then numbers the bottoms. Place 0 is masked and its own bottom.
 */
function gather(depth: f64): void {
  const ways = basins;
  for (let moved = 1; moved != 0; ) {
    moved = 0;
    for (let place = first; place <= last; place++) {
      const next = get(ways, place);
      const end = get(ways, get(ways, next));
      moved |= next ^ end;
      set(ways, place, end);
    }
    if (moved == 0) break;
    moved = 0;
    for (let place = last; place >= first; place--) {
      const next = get(ways, place);
      const end = get(ways, get(ways, next));
      moved |= next ^ end;
      set(ways, place, end);
    }
  }
  numberBottoms(depth);
}

function numberBottoms(depth: f64): void {
  const ways = basins;
  const numbers = spare;
  const highest = lakes;
  let count = 0;
  let here = i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
  for (let place = first; place <= last; place += 4) {
    for (let bits = i32x4.bitmask(i32x4.eq(get4(ways, place), here)); bits != 0; bits &= bits - 1) {
      const bottom = place + ctz<i32>(bits);
      if (bottom > last) break;
      set(numbers, bottom, count);
      set(highest, count, limitOf(bottom, depth));
      set(bottoms, count++, bottom);
    }
    here = i32x4.add(here, i32x4.splat(4));
  }
  basinCount = count;
  set(numbers, 0, -1);
  const limitsHere = limits;
  set(highest, -1, MASKED);
  for (let place = 0; place <= last + stride; place++) {
    const basin = get(numbers, get(ways, place));
    set(ways, place, basin);
    set(limitsHere, place, get(highest, basin));
  }
}

/** The bits of the highest strength that is less than `depth` above that of a place. */
@inline
function limitOf(place: i32, depth: f64): i32 {
  const strength = <f64>strengthOf(place);
  let bits = reinterpret<i32>(<f32>(strength + depth));
  while (<f64>reinterpret<f32>(bits) - strength < depth) bits++;
  while (!(<f64>reinterpret<f32>(bits) - strength < depth)) bits--;
  return bits;
}

/** Whether places are in other basins than their neighbours from `neighbour` on, which come first, and not lower. */
@inline
function fallsBack(neighbour: i32, own: v128, basin: v128): v128 {
  return v128.and(i32x4.ne(get4(basins, neighbour), basin), i32x4.le_s(get4(heights, neighbour), own));
}
/** The same for neighbours that come later: of equal heights they are the higher ones. */
@inline
function fallsOn(neighbour: i32, own: v128, basin: v128): v128 {
  return v128.and(i32x4.ne(get4(basins, neighbour), basin), i32x4.lt_s(get4(heights, neighbour), own));
}

/**
 * Finds the places that have a lower neighbour in another basin, and on which sides; but only where at least one of the
 * two basins has its bottom less than `depth` below. Lakes have lower bottoms than their basins: so over any other
 * saddle both lakes are deep enough to have markers when they meet, and nothing is decided there.
 */
function findSaddles(): void {
  const out = saddles;
  let count = 0;
  for (let place = first; place <= last; place += 4) {
    const own = get4(heights, place);
    const basin = get4(basins, place);
    const limit = get4(limits, place);
    const above = place - stride;
    const below = place + stride;
    const up = fallsBack(above, own, basin);
    const left = fallsBack(place - 1, own, basin);
    const right = fallsOn(place + 1, own, basin);
    const down = fallsOn(below, own, basin);
    const any = v128.andnot(v128.or(v128.or(up, left), v128.or(right, down)), i32x4.ge_s(own, i32x4.splat(OPEN)));
    const ups = i32x4.bitmask(v128.and(up, i32x4.le_s(own, i32x4.max_s(limit, get4(limits, above)))));
    const lefts = i32x4.bitmask(v128.and(left, i32x4.le_s(own, i32x4.max_s(limit, get4(limits, place - 1)))));
    const rights = i32x4.bitmask(v128.and(right, i32x4.le_s(own, i32x4.max_s(limit, get4(limits, place + 1)))));
    const downs = i32x4.bitmask(v128.and(down, i32x4.le_s(own, i32x4.max_s(limit, get4(limits, below)))));
    for (let bits = i32x4.bitmask(any) & (ups | lefts | rights | downs); bits != 0; bits &= bits - 1) {
      const lane = ctz<i32>(bits);
      const sides =
        ((ups >> lane) & 1) | (((lefts >> lane) & 1) << 1) | (((rights >> lane) & 1) << 2) | (((downs >> lane) & 1) << 3);
      set(out, count++, ((place + lane) << 4) | sides);
    }
  }
  saddleCount = count;
}

function sortByHeight(): void {
  sortByDigit(saddles, 0, spare);
  sortByDigit(spare, 11, saddles);
  sortByDigit(saddles, 22, spare);
  const sorted = spare;
  spare = saddles;
  saddles = sorted;
}

function sortByDigit(from: usize, shift: i32, out: usize): void {
  const ends = counts;
  const count = saddleCount;
  memory.fill(ends, 0, (RADIX + 1) << 2);
  for (let i = 0; i < count; i++) {
    const digit = ((get(heights, get(from, i) >> 4) >> shift) & (RADIX - 1)) + 1;
    set(ends, digit, get(ends, digit) + 1);
  }
  for (let digit = 0; digit < RADIX; digit++) set(ends, digit + 1, get(ends, digit + 1) + get(ends, digit));
  for (let i = 0; i < count; i++) {
    const saddle = get(from, i);
    const digit = (get(heights, saddle >> 4) >> shift) & (RADIX - 1);
    const at = get(ends, digit);
    set(ends, digit, at + 1);
    set(out, at, saddle);
  }
}

@inline
function findLake(basin: i32): i32 {
  let lake = basin;
  let up = get(lakes, lake);
  while (up != lake) {
    const higher = get(lakes, up);
    set(lakes, lake, higher);
    lake = higher;
    up = get(lakes, lake);
  }
  return lake;
}

/** Leaves -1 in `inlets` for the basins with a marker and -2 for the others. */
function joinBasins(): void {
  joinCount = 0;
  for (let basin = 0; basin < basinCount; basin++) {
    set(lakes, basin, basin);
    set(inlets, basin, -1);
  }
  for (let i = 0; i < saddleCount; i++) {
    const saddle = get(saddles, i);
    const place = saddle >> 4;
    if (saddle & UP) joinAt(place, place - stride);
    if (saddle & LEFT) joinAt(place, place - 1);
    if (saddle & RIGHT) joinAt(place, place + 1);
    if (saddle & DOWN) joinAt(place, place + stride);
  }
}

@inline
function joinAt(saddle: i32, neighbour: i32): void {
  const basin = get(basins, saddle);
  const other = get(basins, neighbour);
  let deep = findLake(basin);
  let shallow = findLake(other);
  if (deep == shallow) return;
  if (isLower(get(bottoms, shallow), get(bottoms, deep))) {
    const swapped = deep;
    deep = shallow;
    shallow = swapped;
  }
  if (get(heights, saddle) > get(limits, get(bottoms, shallow))) return;
  set(inlets, shallow, -2);
  set(lakes, shallow, deep);
  set(joins, joinCount++, saddle);
  set(joins, joinCount++, basin);
  set(joins, joinCount++, other);
}

@inline
function strengthOf(place: i32): f32 {
  return load<f32>(heights + (<usize>place << 2));
}

/** A lake is dry while its inlet is -2. */
function findInlets(): void {
  for (let basin = 0; basin < basinCount; basin++) set(lakes, basin, basin);
  for (let i = 0; i < joinCount; i += 3) {
    const a = findLake(get(joins, i + 1));
    const b = findLake(get(joins, i + 2));
    const isDryA = get(inlets, a) == -2;
    const isDryB = get(inlets, b) == -2;
    if (isDryA && isDryB) set(lakes, b, a);
    else if (isDryA) set(inlets, a, get(joins, i));
    else if (isDryB) set(inlets, b, get(joins, i));
  }
  for (let basin = 0; basin < basinCount; basin++) {
    const lake = findLake(basin);
    if (lake != basin) set(inlets, basin, get(inlets, lake));
  }
}

function findInletKeys(): void {
  store<i64>(inletKeys - 8, 0);
  for (let basin = 0; basin < basinCount; basin++) {
    const inlet = get(inlets, basin);
    store<i64>(inletKeys + (<usize>basin << 3), inlet < 0 ? 0 : keyOf(inlet));
    if (inlet >= 0) set(sources, get(bottoms, basin), inlet);
  }
}

/** A place with its height above it in one number: lower numbers are lower places. */
@inline
function keyOf(place: i32): i64 {
  return (<i64>get(heights, place) << 32) | <i64>place;
}

/** When the flood reaches a place: its own height, or that of the inlet of its basin if higher; the highest if masked. */
@inline
function reachedAt(place: i32): i64 {
  const own = keyOf(place);
  const inlet = load<i64>(inletKeys + (<usize>get(basins, place) << 3));
  return select(inlet, own, inlet > own);
}

/** The neighbour that the rising flood reaches first. */
@inline
function firstFlooded(place: i32): i32 {
  // Branches would be guessed wrong half the time here; selecting is three times faster.
  let earliest = reachedAt(place - stride);
  let source = place - stride;
  let other = reachedAt(place - 1);
  source = select(place - 1, source, other < earliest);
  earliest = select(other, earliest, other < earliest);
  other = reachedAt(place + 1);
  source = select(place + 1, source, other < earliest);
  earliest = select(other, earliest, other < earliest);
  other = reachedAt(place + stride);
  return select(place + stride, source, other < earliest);
}

/** Everywhere but at places with a lower neighbour in another basin the flood comes up the steepest way down. */
function findSources(): void {
  for (let place = first; place <= last; place += 4) {
    const own = get4(heights, place);
    const basin = get4(basins, place);
    const above = place - stride;
    const below = place + stride;
    const up = fallsBack(above, own, basin);
    const left = fallsBack(place - 1, own, basin);
    const right = fallsOn(place + 1, own, basin);
    const down = fallsOn(below, own, basin);
    const any = v128.andnot(v128.or(v128.or(up, left), v128.or(right, down)), i32x4.ge_s(own, i32x4.splat(OPEN)));
    for (let bits = i32x4.bitmask(any); bits != 0; bits &= bits - 1) {
      const saddle = place + ctz<i32>(bits);
      if (reachedAt(saddle) == keyOf(saddle)) set(sources, saddle, firstFlooded(saddle));
    }
  }
}

/** Keeps the bottoms with a marker, and hands their numbers down the sources into `basins`. */
function label(): i32 {
  memory.fill(spare, 0, <usize>(last + stride) << 2);
  let count = 0;
  for (let basin = 0; basin < basinCount; basin++) {
    if (get(inlets, basin) != -1) continue;
    const bottom = get(bottoms, basin);
    set(bottoms, count, bottom);
    set(spare, bottom, ++count);
  }
  const out = spare;
  for (let place = first; place <= last; place++) {
    if (get(sources, place) < 0 || get(out, place) != 0) continue;
    let end = place;
    while (get(out, end) == 0) end = get(sources, end);
    const found = get(out, end);
    for (let at = place; get(out, at) == 0; at = get(sources, at)) set(out, at, found);
  }
  spare = basins;
  basins = out;
  return count;
}

// One segment of a window.

/**
 * Cuts the window whose strengths have been written and finds the segment that holds a cell: its number of cells; 0
 * when the cell is masked. The outermost ring of the window is masked here. Leaves at `found()`, as 32-bit numbers:
 * left, top, right, bottom (inclusive, cells of the window), place of the marker, sides on which the segment borders a
 * ring cell with data, sides on which a segment beside it does.
 */
export function segment(column: i32, row: i32, depth: f64): i32 {
  const place = first + row * stride + column;
  maskNaN();
  maskRing();
  if (get(heights, place) >= OPEN) return 0;
  flood(depth);
  memory.fill(spare, 0, <usize>(last + stride) << 2);
  return collect(place);
}

export function found(): usize {
  return foundAt;
}

function maskRing(): void {
  const rows = last / stride;
  const columns = stride - 2;
  for (let column = 0; column < columns; column++) {
    maskRingCell(first + column);
    maskRingCell(last - column);
  }
  for (let row = 1; row < rows - 1; row++) {
    maskRingCell(first + row * stride);
    maskRingCell(first + row * stride + columns - 1);
  }
}

@inline
function maskRingCell(place: i32): void {
  if (get(heights, place) < OPEN) set(heights, place, OPEN);
}

/** The marker from which the flood reaches a place. Places are decided when they are asked for, and remembered. */
function markerOf(place: i32): i32 {
  let end = place;
  let marker = get(spare, end);
  while (marker == 0) {
    if (reachedAt(end) == keyOf(end)) {
      if (get(sources, end) == end) {
        marker = end;
        break;
      }
      set(sources, end, firstFlooded(end));
    }
    end = get(sources, end);
    marker = get(spare, end);
  }
  if (marker < 0) marker = -marker;
  for (let at = place; get(spare, at) == 0; at = get(sources, at)) {
    set(spare, at, marker);
    if (at == marker) break;
  }
  return marker;
}

/** Marks on which sides segments border ring cells with data, in `lakes` at the basin of their marker. */
function findOpen(): void {
  memory.fill(lakes, 0, <usize>basinCount << 2);
  const columns = stride - 2;
  const rows = last / stride;
  for (let column = 1; column < columns - 1; column++) {
    lookOut(first + column, stride, UP);
    lookOut(last - column, -stride, DOWN);
  }
  for (let row = 1; row < rows - 1; row++) {
    lookOut(first + row * stride, 1, LEFT);
    lookOut(first + row * stride + columns - 1, -1, RIGHT);
  }
}

@inline
function lookOut(ring: i32, inwards: i32, side: i32): void {
  if (get(heights, ring) != OPEN || get(heights, ring + inwards) >= OPEN) return;
  const basin = get(basins, markerOf(ring + inwards));
  set(lakes, basin, get(lakes, basin) | side);
}

let pending: i32 = 0;
let beside: i32 = 0;

/** Gathers the cells of a segment, neighbour by neighbour, and what `segment` leaves. Its cells are negative in `spare`. */
function collect(start: i32): i32 {
  const marker = markerOf(start);
  findOpen();
  let left = stride;
  let right = 0;
  let top = start;
  let bottom = start;
  let area = 0;
  beside = 0;
  pending = 0;
  set(spare, start, -marker);
  set(saddles, pending++, start);
  while (pending > 0) {
    const place = get(saddles, --pending);
    const column = place % stride;
    left = min(left, column);
    right = max(right, column);
    top = min(top, place);
    bottom = max(bottom, place);
    area++;
    visit(place - stride, marker);
    visit(place - 1, marker);
    visit(place + 1, marker);
    visit(place + stride, marker);
  }
  set(foundAt, 0, left - 1);
  set(foundAt, 1, top / stride - 1);
  set(foundAt, 2, right - 1);
  set(foundAt, 3, bottom / stride - 1);
  set(foundAt, 4, marker);
  set(foundAt, 5, get(lakes, get(basins, marker)));
  set(foundAt, 6, beside);
  return area;
}

@inline
function visit(place: i32, marker: i32): void {
  if (get(heights, place) >= OPEN || get(spare, place) == -marker) return;
  const other = markerOf(place);
  if (other != marker) {
    beside |= get(lakes, get(basins, other));
    return;
  }
  set(spare, place, -marker);
  set(saddles, pending++, place);
}

/** Writes the mask of the found segment, row by row: 1 for its cells, else 0. Returns where it is. */
export function mask(): usize {
  const left = get(foundAt, 0);
  const top = get(foundAt, 1);
  const columns = get(foundAt, 2) - left + 1;
  const rows = get(foundAt, 3) - top + 1;
  let out = saddles;
  for (let row = 0; row < rows; row++) {
    const start = first + (top + row) * stride + left;
    for (let column = 0; column < columns; column++) {
      store<u8>(out++, <u8>(get(spare, start + column) < 0));
    }
  }
  return saddles;
}

// Sums over the segments of a window, by label, after `cutInside`. Their arrays lie where the cut no longer needs its own.

/** label -> cells (i32) */
export function areas(): usize {
  return inlets;
}
/** label -> sum of what is weighed (f64) */
export function weights(): usize {
  return inletKeys - 8;
}
/** label -> sides on which it, or a segment next to it, borders a ring cell with data (i32) */
export function doubts(): usize {
  return joins;
}
/** label -> cells in the block, cells in the part of it (2 x i32) */
export function inside(): usize {
  return limits;
}
/** A row of weights, one for each cell (f32). */
export function weightRow(): usize {
  return sources;
}

/** Begins: finds on which sides each of `count` labels is open. */
export function beginTally(count: i32): void {
  const bytes = (<usize>count + 1) << 2;
  memory.fill(lakes, 0, bytes);
  const columns = stride - 2;
  const rows = last / stride;
  for (let column = 1; column < columns - 1; column++) {
    openLabel(first + column, stride, UP);
    openLabel(last - column, -stride, DOWN);
  }
  for (let row = 1; row < rows - 1; row++) {
    openLabel(first + row * stride, 1, LEFT);
    openLabel(first + row * stride + columns - 1, -1, RIGHT);
  }
  // Cells without data are walls wherever they go on.
  set(lakes, 0, 0);
  memory.copy(joins, lakes, bytes);
  memory.fill(inlets, 0, bytes);
  memory.fill(inletKeys - 8, 0, bytes << 1);
  memory.fill(limits, 0, bytes << 1);
}

@inline
function openLabel(ring: i32, inwards: i32, side: i32): void {
  if (get(heights, ring) != OPEN) return;
  const inner = get(basins, ring + inwards);
  set(lakes, inner, get(lakes, inner) | side);
}

/**
 * Adds a row of the window but for its ends. Of its cells those from `from` up to `end` are in the block, from `partFrom` up to
 * `partEnd` in the part of it.
 */
export function tallyRow(row: i32, from: i32, end: i32, partFrom: i32, partEnd: i32): void {
  const start = first + row * stride;
  const columns = stride - 2;
  for (let column = 1; column < columns - 1; ) {
    const begin = column;
    const label = get(basins, start + column);
    let sum = load<f64>(inletKeys - 8 + (<usize>label << 3));
    let below = label;
    do {
      sum += <f64>load<f32>(sources + (<usize>column << 2));
      const other = get(basins, start + column + stride);
      if (other != below) {
        below = other;
        if (other != label) doubtBoth(label, other);
      }
      column++;
    } while (column < columns - 1 && get(basins, start + column) == label);
    store<f64>(inletKeys - 8 + (<usize>label << 3), sum);
    doubtBoth(label, get(basins, start + column));
    set(inlets, label, get(inlets, label) + column - begin);
    const inBlock = max(0, min(column, end) - max(begin, from));
    const inPart = max(0, min(column, partEnd) - max(begin, partFrom));
    set(limits, 2 * label, get(limits, 2 * label) + inBlock);
    set(limits, 2 * label + 1, get(limits, 2 * label + 1) + inPart);
  }
}

@inline
function doubtBoth(a: i32, b: i32): void {
  set(joins, a, get(joins, a) | get(lakes, b));
  set(joins, b, get(joins, b) | get(lakes, a));
}

/** Where `paintRow` finds the number (i32) and the state (u8) of each label, and where it leaves those of a row. */
export function numbers(): usize {
  return spare;
}
export function states(): usize {
  return lakes;
}
export function paintedNumbers(): usize {
  return sources;
}
export function paintedStates(): usize {
  return sources + (<usize>stride << 2);
}

/** Numbers and states of `count` cells of a row of the window from a column on. */
export function paintRow(row: i32, column: i32, count: i32): void {
  const from = first + row * stride + column;
  const out = paintedStates();
  for (let i = 0; i < count; i++) {
    const label = get(basins, from + i);
    set(sources, i, get(spare, label));
    store<u8>(out + i, load<u8>(lakes + label));
  }
}
