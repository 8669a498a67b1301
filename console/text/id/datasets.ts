import type { datasets as english } from '../en/datasets.ts';

/** Words of the page of datasets, by the keys of the English ones. */
export const datasets: Readonly<Record<keyof typeof english, string>> = {
  'datasets.title': 'Kumpulan data',
  'datasets.lead':
    'Setiap jawaban menyebut kumpulan data asalnya. Untuk suatu peran, yang pertama mencakup tempat itu yang menjawab.',
  'datasets.filter': 'Saring data',
  'datasets.role': 'Peran',
  'datasets.anyRole': 'Semua peran',
  'datasets.search': 'Nama, lisensi, atribusi',
  'datasets.none': 'Tidak ada data yang cocok',
  'datasets.version': 'Versi',
  'datasets.licence': 'Lisensi',
  'datasets.attribution': 'Atribusi',
  'datasets.kind': 'Format',
  'datasets.coverage': 'Cakupan',
  'datasets.world': 'Seluruh dunia',
  'datasets.box': '{west}, {south} sampai {east}, {north}',
  'datasets.mapped': 'Terpetakan',
  'datasets.mappedOn': 'pada {percent} wilayahnya, dalam sel sekitar {km} km',
  'datasets.mappedNowhere': 'tidak di mana pun',
  'datasets.notMeasured': 'belum diukur: impor ulang paketnya',
  'datasets.mappedMeans':
    'Di tempat tema tidak terpetakan, tidak menemukan apa pun berarti tidak diketahui, bukan tidak ada.',
  'datasets.mapLabel': 'Peta wilayah yang dicakup {count} kumpulan data',
};
