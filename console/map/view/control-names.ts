import { t } from '../../text/translate.ts';

/** What the map shows and what its controls do, in the present language: MapLibre says both as they were at first. */
export function nameControls(container: HTMLElement, label: string): void {
  const names = {
    '.maplibregl-canvas': label,
    '.maplibregl-ctrl-zoom-in': t('map.zoomIn'),
    '.maplibregl-ctrl-zoom-out': t('map.zoomOut'),
    '.maplibregl-ctrl-attrib-button': t('map.attribution'),
  };
  for (const [selector, name] of Object.entries(names)) {
    const element = container.querySelector(selector);
    element?.setAttribute('aria-label', name);
    if (element?.hasAttribute('title') === true) element.setAttribute('title', name);
  }
}

/** Words of the controls, by MapLibre's own keys. */
export function controlWords(): Record<string, string> {
  return {
    'NavigationControl.ZoomIn': t('map.zoomIn'),
    'NavigationControl.ZoomOut': t('map.zoomOut'),
    'AttributionControl.ToggleAttribution': t('map.attribution'),
  };
}
