/** Plots of one request. */
export const MAX_SPLIT_PLOTS = 20;
/** Hectares of the largest plot: about 125,000 cells of 20 m, some seconds of work. */
export const MAX_SPLIT_HA = 5_000;
