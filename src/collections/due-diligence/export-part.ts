import type { FittedPlot } from './fit-plot.ts';
import type { PlotsByCountry } from './law-of-export.ts';
import { STATEMENT_LIMITS } from './official-errors.ts';
import { PLACES_OF_PRODUCER, type PostalAddress } from './plot-facts.ts';

/** A producer of a part: whoever is named the same, in the same country, of the same commodity. */
export interface PartProducer {
  readonly name: string | null;
  readonly country: string | null;
  readonly commodity: string | null;
  readonly scientificName: string | null;
  /** GeoJSON Features as text; empty where something stands in place of them. */
  readonly features: string[];
  /** What a declaration has in place of geometry, at most 100 of one kind: the other is empty. */
  readonly addresses: readonly PostalAddress[];
  readonly identifiers: readonly string[];
}

/** The same while it is gathered. */
interface GatheredProducer extends PartProducer {
  readonly addresses: PostalAddress[];
  readonly identifiers: string[];
}

/** What one statement covers: Features in the order of the file, and the same by producer. */
export interface ExportPart {
  readonly features: readonly string[];
  readonly producers: readonly PartProducer[];
  readonly plots: number;
  readonly areaHa: number;
  readonly plotsByCountry: PlotsByCountry;
}

const COLLECTION_START = '{"type":"FeatureCollection","features":[';
const COLLECTION_END = ']}';

/**
 * Gathers plots for one statement as long as its geodata, sent as base64 by producer, and the number of producers stay within
 * the limits of the EU information system. Memory is bounded by them.
 */
export function createPart(limits: typeof STATEMENT_LIMITS | PartLimits = STATEMENT_LIMITS) {
  const features: string[] = [];
  const producers = new Map<string, GatheredProducer>();
  // A producer of more addresses or identifiers than one entry takes has several entries; each place is in one of them.
  const chunks = new Map<string, number>();
  const placed = new Map<string, Set<string>>();
  const byCommodity = new Map<string | null, number>();
  const plotsByCountry = new Map<string | null, number>();
  // A commodity of more producers than one entry takes has several entries.
  let entries = 0;
  let bytes = 0;
  let plots = 0;
  let areaHa = 0;
  return {
    isEmpty: () => plots === 0,
    /** False when the plot does not fit in any more; it is not added then. */
    add(plot: FittedPlot): boolean {
      const texts = featureTexts(plot);
      const { producerName: name, country, commodity, scientificName } = plot.facts;
      const kind = plot.place?.kind ?? 'geometry';
      const base = JSON.stringify([name, country, commodity, scientificName, kind]);
      const seen = placed.get(base) ?? new Set<string>();
      const places = placesOf(plot).filter((place) => !seen.has(JSON.stringify(place)));
      const open = producers.get(`${base} ${chunks.get(base) ?? 0}`);
      const isFull = open !== undefined && heldBy(open) + places.length > PLACES_OF_PRODUCER;
      const known = isFull ? undefined : open;
      const ofCommodity = byCommodity.get(commodity) ?? 0;
      const sent = kind === 'geometry' ? texts : [];
      const wrapper = known === undefined ? WRAPPER : 0;
      // Counted even where an address stands in place of them, because the part keeps them for its GeoJSON file.
      const more = texts.reduce((sum, text) => sum + base64Size(Buffer.byteLength(text) + 1), 0) + wrapper;
      if (bytes + more > limits.geodataBytes) return false;
      let producer = known;
      if (producer === undefined) {
        const opensEntry = ofCommodity % limits.producersPerCommodity === 0;
        if (producers.size >= limits.producers || (opensEntry && entries >= limits.commodities)) return false;
        if (opensEntry) entries++;
        byCommodity.set(commodity, ofCommodity + 1);
        const chunk = open === undefined ? 0 : (chunks.get(base) ?? 0) + 1;
        chunks.set(base, chunk);
        producer = { name, country, commodity, scientificName, features: [], addresses: [], identifiers: [] };
        producers.set(`${base} ${chunk}`, producer);
      }
      producer.features.push(...sent);
      for (const place of places) {
        seen.add(JSON.stringify(place));
        if (typeof place === 'string') producer.identifiers.push(place);
        else producer.addresses.push(place);
      }
      placed.set(base, seen);
      for (const text of texts) features.push(text);
      bytes += more;
      plots++;
      plotsByCountry.set(country, (plotsByCountry.get(country) ?? 0) + 1);
      areaHa += plot.areaHa ?? 0;
      return true;
    },
    finish: (): ExportPart => ({
      features,
      producers: [...producers.values()],
      plots,
      areaHa,
      plotsByCountry,
    }),
  };
}

/** What a plot is declared by in place of its geometry. */
function placesOf({ place }: FittedPlot): readonly (PostalAddress | string)[] {
  if (place === null || place.kind === 'geometry') return [];
  return place.kind === 'address' ? [place.address] : place.identifiers;
}

/** Of the two lists one is empty. */
function heldBy({ addresses, identifiers }: PartProducer): number {
  return addresses.length + identifiers.length;
}

type PartLimits = { readonly [name in keyof typeof STATEMENT_LIMITS]: number };

/** Bytes of the FeatureCollection around a producer's Features, in base64. */
const WRAPPER = base64Size(COLLECTION_START.length + COLLECTION_END.length) + 4;

function base64Size(bytes: number): number {
  return (bytes * 4) / 3;
}

/** The Features of a plot: the properties the information system reads, in its spelling, and ours to find the plot again. */
function featureTexts({ record, facts, members, pointAreaHa }: FittedPlot): string[] {
  return members.map((geometry, i) =>
    JSON.stringify({
      type: 'Feature',
      geometry,
      properties: {
        ...(facts.producerName === null ? {} : { ProducerName: facts.producerName }),
        ...(facts.country === null ? {} : { ProducerCountry: facts.country }),
        ...(facts.productionPlace === null ? {} : { ProductionPlace: facts.productionPlace }),
        ...(geometry.type.endsWith('Point') && pointAreaHa !== null ? { Area: pointAreaHa } : {}),
        firstmile_id: facts.id ?? record.number,
        firstmile_number: record.number,
        ...(members.length > 1 ? { firstmile_part: `${i + 1} of ${members.length}` } : {}),
      },
    }),
  );
}

/** A FeatureCollection of Features as text, in pieces. */
export function* collectionText(features: readonly string[]): Generator<Uint8Array, void> {
  let text = COLLECTION_START;
  for (const [i, feature] of features.entries()) {
    text += i === 0 ? feature : `,${feature}`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + COLLECTION_END);
}
