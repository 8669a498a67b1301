import type { datasets as english } from '../en/datasets.ts';

/** Words of the page of datasets, by the keys of the English ones. */
export const datasets: Readonly<Record<keyof typeof english, string>> = {
  'datasets.title': 'Conjuntos de datos',
  'datasets.lead':
    'Cada respuesta nombra los datos de los que viene. Para cada función responde el primero que cubre el lugar.',
  'datasets.filter': 'Filtrar datos',
  'datasets.role': 'Función',
  'datasets.anyRole': 'Cualquier función',
  'datasets.search': 'Nombre, licencia, atribución',
  'datasets.none': 'Ningún conjunto cumple el filtro',
  'datasets.version': 'Versión',
  'datasets.licence': 'Licencia',
  'datasets.attribution': 'Atribución',
  'datasets.kind': 'Formato',
  'datasets.coverage': 'Cobertura',
  'datasets.world': 'Todo el mundo',
  'datasets.box': '{west}, {south} a {east}, {north}',
  'datasets.mapped': 'Cartografiado',
  'datasets.mappedOn': 'en el {percent} de su terreno, en celdas de unos {km} km',
  'datasets.mappedNowhere': 'en ninguna parte',
  'datasets.notMeasured': 'no medido: importe el paquete de nuevo',
  'datasets.mappedMeans': 'Donde el tema no está cartografiado, no encontrar nada es desconocido, no ausente.',
  'datasets.mapLabel': 'Mapa del terreno que cubren {count} conjuntos de datos',
};
