import type { datasets as english } from '../en/datasets.ts';

/** Words of the page of datasets, by the keys of the English ones. */
export const datasets: Readonly<Record<keyof typeof english, string>> = {
  'datasets.title': 'Jeux de données',
  'datasets.lead':
    'Chaque réponse nomme le jeu de données dont elle vient. Pour un rôle, le premier qui couvre un lieu répond.',
  'datasets.filter': 'Filtrer les données',
  'datasets.role': 'Rôle',
  'datasets.anyRole': 'Tout rôle',
  'datasets.search': 'Nom, licence, attribution',
  'datasets.none': 'Aucun jeu de données ne correspond',
  'datasets.version': 'Version',
  'datasets.licence': 'Licence',
  'datasets.attribution': 'Attribution',
  'datasets.kind': 'Format',
  'datasets.coverage': 'Couverture',
  'datasets.world': 'Le monde entier',
  'datasets.box': '{west}, {south} à {east}, {north}',
  'datasets.mapped': 'Cartographié',
  'datasets.mappedOn': "sur {percent} de son terrain, par cellules d'environ {km} km",
  'datasets.mappedNowhere': 'nulle part',
  'datasets.notMeasured': 'non mesuré : importez de nouveau le paquet',
  'datasets.mappedMeans': "Là où le thème n'est pas cartographié, ne rien trouver est inconnu, et non absent.",
  'datasets.mapLabel': 'Carte du terrain que couvrent {count} jeux de données',
};
