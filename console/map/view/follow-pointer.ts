import type { MapLibreMap } from '../open-map.ts';
import type { MapViewProps } from './view.ts';

/** Pixels around a click within which a feature is meant. */
const REACH = 4;

/** Reports clicks and what is pointed at, and shows by the pointer what can be clicked. */
export function followPointer(
  map: MapLibreMap,
  props: () => Pick<MapViewProps, 'pick' | 'point' | 'onClick' | 'onPoint' | 'crosshair'>,
): void {
  type Where = Parameters<MapLibreMap['queryRenderedFeatures']>[0];
  const at = (where: Where, ids: readonly string[]) => {
    const layers = ids.filter((id) => map.getLayer(id) !== undefined);
    return layers.length === 0 ? [] : map.queryRenderedFeatures(where, { layers });
  };
  const around = ({ x, y }: { readonly x: number; readonly y: number }): Where => [
    [x - REACH, y - REACH],
    [x + REACH, y + REACH],
  ];
  map.on('click', ({ point, lngLat }) => {
    const features = at(around(point), props().pick ?? []);
    const { lng: lon, lat } = lngLat.wrap();
    props().onClick?.({ lon, lat, features: features.map(({ properties }) => properties) });
  });
  let frame = 0;
  map.on('mousemove', ({ point }) => {
    cancelAnimationFrame(frame);
    // Once a frame: a mouse moves more often.
    frame = requestAnimationFrame(() => {
      const { pick = [], point: others = [], onPoint, crosshair } = props();
      const canClick = at(point, pick).length > 0;
      map.getCanvas().style.cursor = canClick ? 'pointer' : crosshair === true ? 'crosshair' : '';
      onPoint?.(at(around(point), [...pick, ...others]).map(({ properties }) => properties));
    });
  });
  map.on('mouseout', () => {
    cancelAnimationFrame(frame);
    props().onPoint?.([]);
  });
  map.once('remove', () => cancelAnimationFrame(frame));
}
