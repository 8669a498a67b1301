/**
 * Measures plots by groups: those that come while a group is worked on make the next one, so that neighbours share what is
 * read, one group is worked on at a time, and the first plot waits for nobody. A group fails as a whole.
 */
export function gatherPlots<P, R>(work: (plots: readonly P[]) => Promise<readonly R[]>): (plot: P) => Promise<R> {
  let waiting: { readonly plot: P; readonly resolve: (found: R) => void; readonly reject: (error: unknown) => void }[] =
    [];
  let isWorking = false;

  async function workOn(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      try {
        const found = await work(group.map(({ plot }) => plot));
        group.forEach(({ resolve }, i) => resolve(found[i]));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isWorking = false;
  }

  return (plot) =>
    new Promise((resolve, reject) => {
      waiting.push({ plot, resolve, reject });
      if (isWorking) return;
      isWorking = true;
      // Those that are requested in the same turn come along.
      setImmediate(() => void workOn());
    });
}
