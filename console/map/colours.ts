/** Colours of the map in each theme; those of levels are the ones of the style sheet. */
export const MAP_COLOURS = {
  light: {
    land: '#f3f1ea',
    water: '#c3d9e6',
    river: '#8fb8d0',
    shadow: '#5c5346',
    light: '#ffffff',
    border: '#b3a99a',
    label: '#4a4f4c',
    halo: '#f8f7f2',
    waterLabel: '#3f6a86',
    roadCase: '#cfc7b6',
    road: '#ffffff',
    mainRoad: '#fbe3b0',
    track: '#b9a888',
    building: '#d8cfc2',
    buildingEdge: '#bcb09f',
    industrial: '#e6dcef',
    accent: '#1b6b4c',
    forest: '#2f7d4f',
    segment: '#5d7a2e',
    business: '#7a4fa3',
    raw: '#b4532a',
    ring: '#3a5f8a',
    counted: '#c2410c',
    selected: '#111827',
  },
  dark: {
    land: '#1d2221',
    water: '#11202b',
    river: '#2d5068',
    shadow: '#000000',
    light: '#59635f',
    border: '#4c5552',
    label: '#c3cac6',
    halo: '#171b1a',
    waterLabel: '#7fa8c4',
    roadCase: '#2c3331',
    road: '#4b5451',
    mainRoad: '#7d6a3a',
    track: '#5b5546',
    building: '#343b38',
    buildingEdge: '#4a524f',
    industrial: '#332d3d',
    accent: '#5cc08f',
    forest: '#5cc08f',
    segment: '#9fc46a',
    business: '#c3a0e6',
    raw: '#f0a070',
    ring: '#8fb4dd',
    counted: '#fb923c',
    selected: '#ffffff',
  },
} as const;

/** Fill of the kinds of ground of a plot, the largest first, and of ground without data (Okabe and Ito 2008, apart for all eyes). */
export const GROUND_COLOURS = ['#e69f00', '#0072b2', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#009e73'] as const;
export const NO_DATA_COLOUR = '#8a8f98';

export type MapTheme = keyof typeof MAP_COLOURS;

/** Fill of each level, apart for people who see red and green alike. */
export const LEVEL_COLOURS = {
  light: {
    high: '#0f766e',
    medium: '#a86a00',
    low: '#c2362b',
    unverified: '#5b6b7b',
    invalid: '#6b7280',
    none: '#3a5f8a',
  },
  dark: {
    high: '#2fb8a6',
    medium: '#f0b429',
    low: '#f0695c',
    unverified: '#a9b7c4',
    invalid: '#9aa3ad',
    none: '#8fb4dd',
  },
} as const;

/** What a mark of a place stands for. */
export type Look = keyof (typeof LEVEL_COLOURS)['light'];
