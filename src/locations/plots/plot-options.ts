/** Rules of plots, all in one place; `GET /limits` shows them. */
export const PLOT_RULES = {
  /** Hectares above which the regulation requires a polygon (Regulation (EU) 2023/1115, article 2(28)). */
  polygonAboveHa: 4,
  /** Hectares below which a plot is no ground: one square metre, the least that the information system takes. */
  leastHa: 0.0001,
  /** Share of a plot in water, farther from the shore than outlines are off, from which on it counts as lying in it. */
  inWaterShare: 0.5,
  /** Coordinates with fewer decimals than this are worth a word: about 11 m. */
  leastDecimals: 6,
  /** Overlaps below this are those of drawing, not of ground. */
  overlapHa: 0.01,
  /** Per cent of the smaller plot. */
  overlapPercent: 1,
  /** Kilometres to the nearest facility of the batch. */
  facilityWithinKm: 100,
  /** Plots of a collection that are compared with each other, and ids; of each a box and digests are held. */
  collectionPlots: 2_000_000,
  /** Plots that are compared with each other where they are held in memory: those of a file that is validated by itself. */
  comparedPlots: 100_000,
  /** Vertices of all of them together. */
  comparedVertices: 5_000_000,
  /** Facilities that plots are compared with. */
  comparedFacilities: 100_000,
  /** Neighbours a plot is compared with. */
  neighbours: 64,
} as const;
