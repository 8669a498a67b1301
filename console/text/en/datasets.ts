/** Words of the page of datasets. */
export const datasets = {
  'datasets.title': 'Datasets',
  'datasets.lead':
    'Every answer names the dataset it came from. For a role the first dataset that covers a place answers.',
  'datasets.filter': 'Filter datasets',
  'datasets.role': 'Role',
  'datasets.anyRole': 'Every role',
  'datasets.search': 'Name, licence, attribution',
  'datasets.none': 'No dataset fits the filter',
  'datasets.version': 'Version',
  'datasets.licence': 'Licence',
  'datasets.attribution': 'Attribution',
  'datasets.kind': 'Format',
  'datasets.coverage': 'Coverage',
  'datasets.world': 'The whole world',
  'datasets.box': '{west}, {south} to {east}, {north}',
  'datasets.mapped': 'Mapped',
  'datasets.mappedOn': 'on {percent} of its ground, in cells of about {km} km',
  'datasets.mappedNowhere': 'nowhere',
  'datasets.notMeasured': 'not measured: import the pack again',
  'datasets.mappedMeans': 'Where the theme is not mapped, nothing found is unknown, not absent.',
  'datasets.mapLabel': 'Map of the ground that {count} datasets cover',
} as const;
