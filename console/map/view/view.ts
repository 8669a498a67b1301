import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import type { LayerSpecification, SourceSpecification } from 'maplibre-gl';
import { param } from '../../state/address.ts';
import { theme } from '../../state/theme.ts';
import type { Box } from '../box-polygon.ts';
import type { MapTheme } from '../colours.ts';
import type { LegendPart } from '../legend-entry.ts';
import type { MapPicture } from '../map-picture.ts';
import { readMapPlace } from '../map-place.ts';
import type { MarkPoint } from '../marks/mark-tiles.ts';
import type { MapMarks } from '../marks/open-marks.ts';
import type { MapLibreMap } from '../open-map.ts';
import type { BaseRefresh } from '../refresh-base.ts';

interface MapClick {
  readonly lon: number;
  readonly lat: number;
  /** Properties of the features of `pick` layers under the pointer, the upper ones first. */
  readonly features: readonly Readonly<Record<string, unknown>>[];
}

export interface MapViewProps {
  /** What the map shows, for screen readers. */
  readonly label: string;
  /** Sources of the page by name; their data comes in `data`. */
  readonly sources?: Readonly<Record<string, Omit<Extract<SourceSpecification, { type: 'geojson' }>, 'type' | 'data'>>>;
  readonly layers?: (theme: MapTheme) => readonly LayerSpecification[];
  readonly data?: Readonly<Record<string, FeatureCollection>>;
  /** Points that `layers` draws by `markLayers`, however many. */
  readonly marks?: readonly MarkPoint[];
  /** Shown as a whole whenever it changes, unless the address says where the map stands. */
  readonly fit?: Box | null;
  readonly onClick?: (click: MapClick) => void;
  /** Layers whose features can be clicked. */
  readonly pick?: readonly string[];
  /** Layers whose features are only pointed at, besides those of `pick`. */
  readonly point?: readonly string[];
  /** Reports what the pointer is over, the upper ones first, and nothing when it leaves. */
  readonly onPoint?: (features: readonly Readonly<Record<string, unknown>>[]) => void;
  /** Reports the box that is in view, whenever it has changed. */
  readonly onView?: (box: Box) => void;
  readonly crosshair?: boolean;
  /** Lies below the layers of the page. */
  readonly picture?: MapPicture | null;
  /** What the marks of the page mean; those of the base map are added. */
  readonly legend?: readonly LegendPart[];
  /** Farthest that `fit` goes in; default 14. A place that is in view from nearer stays where it is. */
  readonly fitZoom?: number;
  readonly children?: ComponentChildren;
}

/** The map of a `MapView` and what is on it: it outlives each drawing of the page, and MapLibre calls back at any time. */
export interface View {
  /** As they were given last. */
  props: MapViewProps;
  /** Null before it is opened, and after it is removed. */
  map: MapLibreMap | null;
  refresh: BaseRefresh | null;
  marks: MapMarks | null;
  /** Whether the map has tiles of marks that are no longer shown. */
  hasOldMarks: boolean;
  /** What the sources of the page have, by their names. */
  readonly applied: Map<string, FeatureCollection>;
  /** The colours of its style. */
  theme: MapTheme;
  /** Whether the address or the user, and not `fit`, says where the map stands. */
  isPlaced: boolean;
  /** The last `fit` that was gone to; empty before the first. */
  fitted: string;
}

/** One `View` for all drawings of a component, with the latest of what it is given. */
export function useView(props: MapViewProps): View {
  const view = useRef<View | null>(null);
  view.current ??= newView(props);
  view.current.props = props;
  return view.current;
}

function newView(props: MapViewProps): View {
  return {
    props,
    map: null,
    refresh: null,
    marks: null,
    hasOldMarks: false,
    applied: new Map(),
    theme: theme.peek(),
    isPlaced: readMapPlace(param('map')) !== null,
    fitted: '',
  };
}
