/** Names of the files that tasks were begun with, and how, by the id of the task: the service keeps the rows and not these. */
const KEY = 'firstmile.files';
const KEPT = 100;

type Begun = readonly [id: string, name: string, order?: unknown];

export function rememberFile(taskId: string, name: string, order: unknown): void {
  const names = [...read().filter(([id]) => id !== taskId), [taskId, name, order] as const].slice(-KEPT);
  localStorage.setItem(KEY, JSON.stringify(names));
}

/** Null where it was begun elsewhere. */
export function fileOf(taskId: string): string | null {
  return read().find(([id]) => id === taskId)?.[1] ?? null;
}

/** How the task was begun; null where it was begun elsewhere. */
export function orderOfTask(taskId: string): unknown {
  return read().find(([id]) => id === taskId)?.[2] ?? null;
}

function read(): readonly Begun[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? (kept as Begun[]) : [];
  } catch {
    return [];
  }
}
