export type LocationType = 'facility' | 'plot';

/** Words of what is a facility and what is a plot, folded, in the languages of the column names. */
const FACILITY =
  /facilit|\bmill|warehouse|silo|aggregation|factory|depot|collection (point|cent)|buying (station|point|cent)|processing|processor|plant$|slaughter|refiner|crusher|port\b|acopio|beneficio|bodega|almacen|planta\b|fabrica|molino|armazem|usina|frigorifico|entrepot|usine|magasin|pabrik|gudang|pengumpul|kho\b|nha may|โรงงาน|โกดง|ลานเท/;
const PLOT =
  /\bplot|parcel|\bfield|\bfarm|point of production|plantation|estate|ranch|orchard|smallholding|concession|finca|\blote|parcela|predio|fazenda|sitio|talhao|parcelle|champ|ferme|kebun|lahan|persil|thua|nong trai|vuon|แปลง|สวน|ไร/;

/** Facility or plot by the words of a text; null when it says neither or both. */
export function parseLocationType(text: string): LocationType | null {
  const folded = text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('đ', 'd')
    .replaceAll(/[_\s-]+/g, ' ')
    .trim();
  const [isFacility, isPlot] = [FACILITY.test(folded), PLOT.test(folded)];
  if (isFacility === isPlot) return null;
  return isFacility ? 'facility' : 'plot';
}
