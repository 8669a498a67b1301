import type { Settings } from '../state/settings.ts';
import { MAP_COLOURS, type MapTheme } from './colours.ts';
import type { LegendEntry, LegendPart } from './legend-entry.ts';
import type { SetTheme } from './map-sets.ts';
import type { Switch } from './switches.ts';

/** What is said of the base map, by the names of the texts. */
type Word =
  | Switch
  | 'base'
  | 'roads'
  | 'tracks'
  | 'paths'
  | 'labelled'
  | 'rivers'
  | 'buildings'
  | 'industrial'
  | 'businesses'
  | 'water'
  | 'borders';

interface BaseLegendOptions {
  readonly theme: MapTheme;
  /** Themes of vector tiles that are in view. */
  readonly themes: readonly SetTheme[];
  readonly leftOut: ReadonlySet<Switch>;
  readonly settings: Pick<Settings, 'tiles' | 'terrain'>;
  /** A text in the language of the page. */
  readonly say: (word: `map.${Word}`) => string;
  readonly onTurn: (name: Switch, isOn: boolean) => void;
}

/** The marks of the base map, as far as they are in view, with a switch for each part that can be left out. */
export function baseLegend({ theme, themes, leftOut, settings, say, onTurn }: BaseLegendOptions): LegendPart {
  const colours = MAP_COLOURS[theme];
  const has = (name: SetTheme): boolean => themes.includes(name);
  const switched = (key: Switch, text: string, mark: LegendEntry['mark'] = null): LegendEntry => ({
    key,
    text,
    mark,
    isOn: !leftOut.has(key),
    onTurn: (isOn) => onTurn(key, isOn),
  });
  const ground: readonly (LegendEntry | false)[] = leftOut.has('ground')
    ? []
    : [
        has('roads') && {
          key: 'roads',
          text: say('map.roads'),
          mark: { kind: 'line', colour: colours.mainRoad, width: 4 },
        },
        has('roads') && {
          key: 'tracks',
          text: say('map.tracks'),
          mark: { kind: 'line', colour: colours.track, dash: '3 2' },
        },
        has('roads') && {
          key: 'paths',
          text: say('map.paths'),
          mark: { kind: 'line', colour: colours.track, dash: '1 2', width: 1.2 },
        },
        has('water') && { key: 'rivers', text: say('map.rivers'), mark: { kind: 'line', colour: colours.river } },
        has('buildings') && {
          key: 'buildings',
          text: say('map.buildings'),
          mark: { kind: 'area', fill: colours.building, edge: colours.buildingEdge },
        },
        has('industrial') && {
          key: 'industrial',
          text: say('map.industrial'),
          mark: { kind: 'area', fill: colours.industrial },
        },
        has('businesses') && {
          key: 'businesses',
          text: say('map.businesses'),
          mark: { kind: 'dot', colour: colours.business },
        },
      ];
  return {
    key: 'base',
    title: say('map.base'),
    entries: [
      ...(settings.tiles === null ? [] : [switched('imagery', say('map.imagery'))]),
      ...(settings.terrain === null ? [] : [switched('terrain', say('map.terrain'))]),
      ...(themes.some((name) => name !== 'segments') ? [switched('ground', say('map.ground'))] : []),
      ...ground.filter((entry) => entry !== false),
      ...(has('segments')
        ? [
            switched('segments', say('map.segments'), {
              kind: 'area',
              fill: colours.segment,
              opacity: 0.16,
              edge: colours.segment,
            }),
            ...(leftOut.has('segments')
              ? []
              : [
                  {
                    key: 'labelled',
                    text: say('map.labelled'),
                    mark: { kind: 'line', colour: colours.segment, dash: '5 3', width: 1.2 },
                  } as const,
                ]),
          ]
        : []),
      // With an edge: in the dark it would not be seen on the legend.
      { key: 'water', text: say('map.water'), mark: { kind: 'area', fill: colours.water, edge: colours.border } },
      { key: 'borders', text: say('map.borders'), mark: { kind: 'line', colour: colours.border, width: 1.4 } },
    ],
  };
}
