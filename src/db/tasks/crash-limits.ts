// Apart from what counts crashes, which imports the query builder: threads at work need these numbers alone.

/** Crashes of its worker thread after which a task is not run again. */
export const MAX_CRASHES = 3;
/** Crashes of the thread on one step alone, after which the step is taken for the cause and passed over. */
export const CRASHES_OF_STEP = 2;
