/**
 * Makes something in a data folder once, however many need it in this thread at the same time. What failed is tried again
 * by the next who needs it.
 */
export function onceAFolder(make: (dataDir: string) => Promise<void>): (dataDir: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  return (dataDir) => {
    const making = underWay.get(dataDir) ?? make(dataDir);
    underWay.set(dataDir, making);
    making.catch(() => underWay.delete(dataDir));
    return making;
  };
}
