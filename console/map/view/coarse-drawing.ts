import type { Map as MapLibreMap } from 'maplibre-gl';

/** Pixels of the canvas to one of the page, in each direction, while a map is coarse. */
const COARSE = 0.5;
/** Longest that a map which stands still is coarse: tiles may be slow. */
const STANDING_MS = 600;

/**
 * Draws a map with a quarter of its pixels while it is opened or moves, and with all of them once it stands still and nothing is
 * on its way. For maps that the processor draws: the page waits for each frame, and a frame takes as long as it has pixels.
 */
export function coarseWhileMoving(map: MapLibreMap): void {
  let isCoarse = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  map.getPixelRatio = () => devicePixelRatio * (isCoarse ? COARSE : 1);
  const turn = (coarse: boolean): void => {
    isCoarse = coarse;
    // Not `resize`, nor `setPixelRatio`, which calls it: those end what somebody is doing with the pointer.
    map._resizeInternal();
  };
  const coarsen = (): void => {
    clearTimeout(timer);
    if (!isCoarse) turn(true);
  };
  const sharpen = (): void => {
    clearTimeout(timer);
    if (!isCoarse || map.isMoving()) return;
    turn(false);
    // At once: a canvas of another size is empty.
    map.redraw();
  };
  const sharpenSoon = (): void => {
    clearTimeout(timer);
    if (isCoarse) timer = setTimeout(sharpen, STANDING_MS);
  };
  turn(true);
  // A map that is put elsewhere or finds its size does not move: it is drawn once.
  map.on('movestart', () => {
    if (map.isMoving()) coarsen();
  });
  map.on('moveend', sharpenSoon);
  map.on('idle', sharpen);
  map.once('load', sharpenSoon);
  addEventListener('beforeprint', sharpen);
  map.once('remove', () => {
    clearTimeout(timer);
    removeEventListener('beforeprint', sharpen);
  });
}

/** A picture of what a map shows, with so many pixels to one of the page. */
export function pictureOf(map: MapLibreMap, pixelRatio: number): string {
  const usual = map.getPixelRatio;
  const redraw = (ratio: () => number): void => {
    map.getPixelRatio = ratio;
    map._resizeInternal();
    map.redraw();
  };
  redraw(() => pixelRatio);
  // What was drawn is there to be read only until it is shown.
  const picture = map.getCanvas().toDataURL();
  redraw(usual);
  return picture;
}
