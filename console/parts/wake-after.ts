/**
 * Calls `then` after so many milliseconds, and at once when the browser says that there is a network again or the page is looked at
 * again. Returns what takes that back.
 */
export function wakeAfter(ms: number, then: () => void): () => void {
  const wake = (): void => {
    if (document.visibilityState === 'hidden') return;
    leave();
    then();
  };
  const timer = setTimeout(wake, ms);
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);
  const leave = (): void => {
    clearTimeout(timer);
    removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', wake);
  };
  return leave;
}
