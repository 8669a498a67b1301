import { useEffect, useRef } from 'preact/hooks';
import { principal } from '../state/session.ts';
import { settings } from '../state/settings.ts';
import { theme } from '../state/theme.ts';
import { language, t } from '../text/translate.ts';
import { baseLegend } from './base-legend.ts';
import type { MapTheme } from './colours.ts';
import { MapLegend } from './map-legend.tsx';
import { showPicture, type MapPicture } from './map-picture.ts';
import { openMarks } from './marks/open-marks.ts';
import { leftOut, turn } from './switches.ts';
import { nameControls } from './view/control-names.ts';
import {
  applyData,
  applySwitches,
  BELOW_PAGE,
  renewMarks,
  showFit,
  styleOf,
  useOpenedMap,
} from './view/use-opened-map.ts';
import { useView, type MapViewProps, type View } from './view/view.ts';

/** A map over the base map. Everything it shows is also on the page in words. */
export function MapView(props: MapViewProps) {
  const container = useRef<HTMLDivElement>(null);
  /** Stands on paper in place of the canvas. */
  const figure = useRef<HTMLElement>(null);
  const shown = theme.value;
  const view = useView(props);

  useMarks(view, props.marks);
  const { state, themes } = useOpenedMap(view, container, figure);
  useStyle(view, shown);
  useEffect(() => {
    if (container.current !== null) nameControls(container.current, props.label);
  }, [props.label, language.value, state]);
  useData(view, props.data);
  usePicture(view, props.picture ?? null);
  useSwitches(view);
  useEffect(() => showFit(view), [props.fit?.join()]);

  return (
    <div class="map">
      <div ref={container} class="map-canvas" data-state={state} />
      <figure ref={figure} class="print-map">
        <img alt={props.label} />
        <span />
      </figure>
      {state === 'loading' && <p class="map-note">{t('map.loading')}</p>}
      {state === 'failed' && (
        <p class="map-note" role="alert">
          {t('map.failed')}
        </p>
      )}
      <MapLegend
        parts={[
          ...(props.legend ?? []),
          baseLegend({ theme: shown, themes, leftOut: leftOut.value, settings: settings.value, say: t, onTurn: turn }),
        ]}
      />
      <p class="map-north" role="img" aria-label={t('map.north')} title={t('map.north')}>
        <span aria-hidden="true">N</span>
      </p>
      {props.children}
    </div>
  );
}

/** The points that the page draws as marks. */
function useMarks(view: View, marks: MapViewProps['marks']): void {
  useEffect(() => {
    if (marks === undefined) return;
    view.marks ??= openMarks();
    view.marks.show(marks);
    view.hasOldMarks = true;
    if (view.map !== null) renewMarks(view.map, view);
  }, [marks]);
}

/** Another style for another theme or language; the map opens with the first. */
function useStyle(view: View, shown: MapTheme): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (view.map !== null) {
      view.theme = shown;
      view.map.getContainer().removeAttribute('data-idle');
      view.map.setStyle(styleOf(view), { diff: false });
    }
  }, [shown, language.value]);
}

function useData(view: View, data: MapViewProps['data']): void {
  useEffect(() => {
    if (view.map?.isStyleLoaded() !== undefined) applyData(view.map, data, view.applied);
  }, [data]);
}

function usePicture(view: View, picture: MapPicture | null): void {
  useEffect(() => {
    if (view.map?.getLayer('land') !== undefined) showPicture(view.map, picture, BELOW_PAGE);
  }, [picture]);
}

function useSwitches(view: View): void {
  useEffect(() => {
    // Before the style is there, it is done when it is.
    if (view.map?.getLayer('land') === undefined) return;
    applySwitches(view.map);
    void view.refresh?.run();
  }, [leftOut.value, principal.value]);
}
