/** Calls `work` again and again, `ms` apart, until the returned function is called; nothing waits for it to end. */
export type Every = (ms: number, work: () => void) => () => void;

/** By the clock of this process, which it does not keep alive. */
export const every: Every = (ms, work) => {
  const timer = setInterval(work, ms).unref();
  return () => clearInterval(timer);
};
