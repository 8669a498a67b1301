// Cuts an edge image into segments, in AssemblyScript with WebAssembly SIMD.
// `test/oracles/segmentation/compile-kernels.ts` compiles it into `cut-kernel.wasm.ts`; a test compiles it again and
// compares. What it computes, and why that is right, is written down plainly in `segment-edges-plain.ts` and the steps
// it names; the functions here have the names of those steps.
// Places are 32-bit indices into arrays with a border of masked places; see `relief.ts`.

const MASKED: i32 = 0x7fff_ffff;
const RADIX: i32 = 2048;

let stride: i32 = 0;
let first: i32 = 0;
let last: i32 = 0;

// Addresses of the arrays, and in brackets what an element is.
let heights: usize = 0; // place -> bits of its strength (i32)
let sources: usize = 0; // place -> place the flood comes from (i32), -1 where masked
let basins: usize = 0; // place -> basin (i32), -1 where masked; in the end label
let saddles: usize = 0; // places (i32)
let spare: usize = 0; // places (i32), for sorting
let bottoms: usize = 0; // basin -> its lowest place (i32)
let lakes: usize = 0; // basin -> basin it has been joined to (i32)
let inlets: usize = 0; // basin -> place the flood enters over (i32), -1 at markers
let joins: usize = 0; // saddle, basin, basin (3 x i32)
let inletKeys: usize = 0; // basin -> height and place of its inlet (i64), 0 at markers; place -1 stands for masked
let counts: usize = 0; // digit -> count (i32)

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
  const missing = <isize>end - (<isize>memory.size() << 16);
  if (missing > 0 && memory.grow(<i32>((missing + 0xffff) >> 16)) < 0) return 0;
  for (let place = 0; place < places; place += 4) {
    v128.store(heights + (<usize>place << 2), i32x4.splat(MASKED));
  }
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
  findNext();
  gather();
  findSaddles();
  sortByHeight();
  joinBasins(depth);
  findInlets();
  findSources();
  return label();
}

/** Where the label of the first cell is, after `cut`; rows `width + 2` apart. */
export function labels(): usize {
  return basins + (<usize>first << 2);
}

/** Where the places of the markers are, after `cut`, in raster order. */
export function markers(): usize {
  return bottoms;
}

function maskNaN(): void {
  for (let place = first; place <= last; place += 4) {
    const at = heights + (<usize>place << 2);
    // Adding zero makes a negative zero positive, whose bits order as they should.
    const strength = f32x4.add(v128.load(at), f32x4.splat(0));
    v128.store(at, v128.bitselect(strength, i32x4.splat(MASKED), f32x4.eq(strength, strength)));
  }
}

function findNext(): void {
  const masked = i32x4.splat(MASKED);
  const none = i32x4.splat(-1);
  for (let place = 0; place < first; place += 4) v128.store(sources + (<usize>place << 2), none);
  for (let place = last + 1; place <= last + stride; place += 4) v128.store(sources + (<usize>place << 2), none);
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
    v128.store(sources + (<usize>place << 2), v128.bitselect(none, lowest, i32x4.eq(own, masked)));
    here = i32x4.add(here, i32x4.splat(4));
  }
}

function gather(): void {
  basinCount = 0;
  for (let place = 0; place <= last + stride; place += 4) v128.store(basins + (<usize>place << 2), i32x4.splat(-1));
  for (let place = first; place <= last; place++) {
    if (get(sources, place) < 0 || get(basins, place) >= 0) continue;
    let end = place;
    let next = get(sources, end);
    while (get(basins, end) < 0 && next != end) {
      end = next;
      next = get(sources, end);
    }
    let basin = get(basins, end);
    if (basin < 0) {
      basin = basinCount++;
      set(bottoms, basin, end);
      set(basins, end, basin);
    }
    for (let at = place; get(basins, at) < 0; at = get(sources, at)) set(basins, at, basin);
  }
}

function findSaddles(): void {
  saddleCount = 0;
  for (let place = first; place <= last; place += 4) {
    const own = get4(heights, place);
    const basin = get4(basins, place);
    const up = v128.and(
      i32x4.ne(get4(basins, place - stride), basin),
      i32x4.le_s(get4(heights, place - stride), own),
    );
    const left = v128.and(i32x4.ne(get4(basins, place - 1), basin), i32x4.le_s(get4(heights, place - 1), own));
    const right = v128.and(i32x4.ne(get4(basins, place + 1), basin), i32x4.lt_s(get4(heights, place + 1), own));
    const down = v128.and(
      i32x4.ne(get4(basins, place + stride), basin),
      i32x4.lt_s(get4(heights, place + stride), own),
    );
    const any = v128.andnot(
      v128.or(v128.or(up, left), v128.or(right, down)),
      i32x4.eq(own, i32x4.splat(MASKED)),
    );
    for (let bits = i32x4.bitmask(any); bits != 0; bits &= bits - 1) {
      set(saddles, saddleCount++, place + ctz<i32>(bits));
    }
  }
}

function sortByHeight(): void {
  sortByDigit(saddles, 0, spare);
  sortByDigit(spare, 11, saddles);
  sortByDigit(saddles, 22, spare);
  const sorted = spare;
  spare = saddles;
  saddles = sorted;
}

function sortByDigit(places: usize, shift: i32, out: usize): void {
  memory.fill(counts, 0, (RADIX + 1) << 2);
  for (let i = 0; i < saddleCount; i++) {
    const digit = ((get(heights, get(places, i)) >> shift) & (RADIX - 1)) + 1;
    set(counts, digit, get(counts, digit) + 1);
  }
  for (let digit = 0; digit < RADIX; digit++) set(counts, digit + 1, get(counts, digit + 1) + get(counts, digit));
  for (let i = 0; i < saddleCount; i++) {
    const place = get(places, i);
    const digit = (get(heights, place) >> shift) & (RADIX - 1);
    const at = get(counts, digit);
    set(counts, digit, at + 1);
    set(out, at, place);
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
function joinBasins(depth: f64): void {
  joinCount = 0;
  for (let basin = 0; basin < basinCount; basin++) {
    set(lakes, basin, basin);
    set(inlets, basin, -1);
  }
  for (let i = 0; i < saddleCount; i++) {
    const saddle = get(saddles, i);
    joinAt(saddle, saddle - stride, depth);
    joinAt(saddle, saddle - 1, depth);
    joinAt(saddle, saddle + 1, depth);
    joinAt(saddle, saddle + stride, depth);
  }
}

@inline
function joinAt(saddle: i32, neighbour: i32, depth: f64): void {
  const basin = get(basins, saddle);
  const other = get(basins, neighbour);
  if (other == basin || !isLower(neighbour, saddle)) return;
  let deep = findLake(basin);
  let shallow = findLake(other);
  if (deep == shallow) return;
  if (isLower(get(bottoms, shallow), get(bottoms, deep))) {
    const swapped = deep;
    deep = shallow;
    shallow = swapped;
  }
  const rise = <f64>strengthOf(saddle) - <f64>strengthOf(get(bottoms, shallow));
  if (rise < depth) set(inlets, shallow, -2);
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

function findSources(): void {
  store<i64>(inletKeys - 8, 0);
  for (let basin = 0; basin < basinCount; basin++) {
    const inlet = get(inlets, basin);
    store<i64>(inletKeys + (<usize>basin << 3), inlet < 0 ? 0 : keyOf(inlet));
    if (inlet >= 0) set(sources, get(bottoms, basin), inlet);
  }
  for (let i = 0; i < saddleCount; i++) {
    const place = get(saddles, i);
    if (reachedAt(place) != keyOf(place)) continue;
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
    source = select(place + stride, source, other < earliest);
    set(sources, place, source);
  }
}

/** Keeps the bottoms with a marker, in raster order, and hands their numbers down the sources into `basins`. */
function label(): i32 {
  memory.fill(basins, 0, <usize>(last + stride) << 2);
  let count = 0;
  for (let basin = 0; basin < basinCount; basin++) {
    if (get(inlets, basin) == -1) set(basins, get(bottoms, basin), 1);
  }
  for (let place = first; place <= last; place++) {
    if (get(basins, place) == 0) continue;
    set(bottoms, count, place);
    set(basins, place, ++count);
  }
  for (let place = first; place <= last; place++) {
    if (get(sources, place) < 0 || get(basins, place) != 0) continue;
    let end = place;
    while (get(basins, end) == 0) end = get(sources, end);
    const found = get(basins, end);
    for (let at = place; get(basins, at) == 0; at = get(sources, at)) set(basins, at, found);
  }
  return count;
}
