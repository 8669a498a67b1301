import { LOGISTIC_HEADS, networkOf } from '../../geo/detection/logistic-head.ts';
import type { DetectionHead } from '../../geo/detection/head.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { covers } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { PUBLISHED_MODELS } from '../../readers/models/published-models.ts';
import { EMBEDDINGS_CREDIT, openHead, type InstalledHead } from '../models/installed-models.ts';

/** What is looked for in addition to the commodities: ground under any of them that is planted, and ground that is built on. */
export const PLANTATION = 'plantation';
export const BUILT_UP = 'built-up';

/** Whose heads make the plantation mask: what grows on trees or palms. Fields of soy and pastures are no plantation forest. */
const PLANTED: ReadonlySet<string | null> = new Set(['palm', 'rubber', 'cocoa', 'coffee', 'timber', PLANTATION]);

/**
 * Heads that ship with the service. The threshold of `built-up` is where it claims 3 % of what is not built on among the
 * points of `docs/detection-models.md`, and finds 72 % of what is: with it a place counts as dense too late rather than
 * too soon.
 */
export const OWN_HEADS: readonly InstalledHead[] = [
  {
    id: 'firstmile-built-up',
    path: '',
    about: {
      model: 'firstmile',
      version: '1',
      commodity: BUILT_UP,
      licence: 'Apache-2.0',
      attribution:
        'Fitted by Firstmile on labels of Dynamic World (produced for the Dynamic World Project by Google in partnership with National Geographic Society and the World Resources Institute, CC-BY 4.0)',
      threshold: 0.7,
      thresholdSource: 'chosen to claim little that is not built on',
      latitude: 60,
      sha256: '',
      from: '',
    },
  },
];

/** The numbers of a head, whether it ships with the service or was installed. */
export async function headNumbers(head: InstalledHead): Promise<DetectionHead> {
  return OWN_HEADS.some(({ id }) => id === head.id) ? networkOf(LOGISTIC_HEADS[BUILT_UP]) : openHead(head);
}

/**
 * The heads that answer for something at a place: for plantations all that reach it; else the first of those that were
 * trained here, which know the place, or those that were not. Of generations of a published head the newest answers.
 */
export function headsFor(
  heads: readonly InstalledHead[],
  subject: string,
  [lon, lat]: LonLat,
  synthetic: boolean,
): readonly InstalledHead[] {
  const there = newestOnly(heads).filter(
    ({ about }) =>
      (subject === PLANTATION ? PLANTED.has(about.commodity) : about.commodity === subject) &&
      Math.abs(lat) <= about.latitude &&
      (about.bbox === undefined || covers({ bbox: about.bbox }, lon, lat)) &&
      (about.synthetic === true) === synthetic,
  );
  if (subject === PLANTATION) return there;
  const trained = there.find(({ about }) => about.training !== undefined);
  return trained === undefined ? there : [trained];
}

/** The same without published heads of a commodity for which a newer generation is there. */
function newestOnly(heads: readonly InstalledHead[]): readonly InstalledHead[] {
  const generation = ({ about }: InstalledHead): number => PUBLISHED_MODELS.findIndex(({ id }) => id === about.model);
  const isSuperseded = (head: InstalledHead): boolean =>
    generation(head) >= 0 &&
    heads.some((other) => other.about.commodity === head.about.commodity && generation(other) > generation(head));
  return heads.filter((head) => !isSuperseded(head));
}

/** Whether any head could answer, whatever the embeddings are. */
export function hasHeads(heads: readonly InstalledHead[], subject: string, at: LonLat): boolean {
  return [true, false].some((synthetic) => headsFor(heads, subject, at, synthetic).length > 0);
}

/** The heads that ship with the service, as the catalogue lists them. */
export function ownHeadDatasets(): readonly Dataset[] {
  return OWN_HEADS.map(({ id, about: { version, licence, attribution, latitude } }) => ({
    id,
    role: BUILT_UP,
    kind: 'model',
    package: 'firstmile',
    coverage: { bbox: [-180, -latitude, 180, latitude] },
    version,
    date: null,
    licence,
    attribution: `${attribution}. ${EMBEDDINGS_CREDIT}`,
    synthetic: false,
    options: {},
  }));
}
