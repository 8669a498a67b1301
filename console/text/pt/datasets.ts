import type { datasets as english } from '../en/datasets.ts';

/** Words of the page of datasets, by the keys of the English ones. */
export const datasets: Readonly<Record<keyof typeof english, string>> = {
  'datasets.title': 'Conjuntos de dados',
  'datasets.lead': 'Cada resposta nomeia os dados de onde vem. Para uma função responde o primeiro que cobre o lugar.',
  'datasets.filter': 'Filtrar dados',
  'datasets.role': 'Função',
  'datasets.anyRole': 'Qualquer função',
  'datasets.search': 'Nome, licença, atribuição',
  'datasets.none': 'Nenhum conjunto corresponde ao filtro',
  'datasets.version': 'Versão',
  'datasets.licence': 'Licença',
  'datasets.attribution': 'Atribuição',
  'datasets.kind': 'Formato',
  'datasets.coverage': 'Cobertura',
  'datasets.world': 'O mundo inteiro',
  'datasets.box': '{west}, {south} a {east}, {north}',
  'datasets.mapped': 'Mapeado',
  'datasets.mappedOn': 'em {percent} do seu terreno, em células de cerca de {km} km',
  'datasets.mappedNowhere': 'em lugar nenhum',
  'datasets.notMeasured': 'não medido: importe o pacote novamente',
  'datasets.mappedMeans': 'Onde o tema não está mapeado, não encontrar nada é desconhecido, não ausente.',
  'datasets.mapLabel': 'Mapa do terreno que {count} conjuntos de dados cobrem',
};
