/**
 * Gives what comes in one turn of the event loop to `post` at once, in its order: a message between threads wakes the other one, which
 * costs more than what is in it.
 */
export function gathered<T>(post: (messages: readonly T[]) => void): (message: T) => void {
  let waiting: T[] = [];
  const flush = (): void => {
    const messages = waiting;
    waiting = [];
    post(messages);
  };
  return (message) => {
    if (waiting.push(message) === 1) setImmediate(flush);
  };
}
