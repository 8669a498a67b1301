import { randomUUID } from 'node:crypto';
import { pageIsGone } from '../../src/db/page-is-gone.ts';
import type { Task, Tasks } from '../../src/jobs/task.ts';

export interface MemoryTasks extends Tasks {
  /** Changes a task as a worker would. */
  set(id: string, part: Partial<Task>, results?: readonly string[]): void;
}

/** Tasks kept in memory that nobody works on: a test moves them on with `set`. */
export function memoryTasks(): MemoryTasks {
  const tasks = new Map<string, Task>();
  const contents = new Map<string, readonly string[]>();
  const keys = new Map<string, string>();
  const own = (userId: string, id: string): Task | null => {
    const task = tasks.get(id);
    return task?.userId === userId ? task : null;
  };

  return {
    async submit({ kind, userId, idempotency }) {
      const task: Task = {
        about: { file: null, commodity: null, outcome: null },
        id: randomUUID(),
        kind,
        userId,
        status: 'processing',
        progress: { done: 0, total: null },
        phase: null,
        attempt: 0,
        error: null,
        resultType: null,
        createdAt: new Date(),
        finishedAt: null,
        expiresAt: null,
      };
      tasks.set(task.id, task);
      if (idempotency !== null) keys.set(`${userId} ${idempotency.key}`, task.id);
      return task;
    },
    async earlier(userId, { key }) {
      return own(userId, keys.get(`${userId} ${key}`) ?? '');
    },
    async get(userId, id) {
      return own(userId, id);
    },
    async list(userId, { limit, before, status, withoutKinds = [] }) {
      const mine = [...tasks.values()].filter((task) => task.userId === userId).toReversed();
      const from = before === undefined ? 0 : mine.findIndex((task) => task.id === before) + 1;
      if (before !== undefined && from === 0) throw pageIsGone('task', before);
      return mine
        .slice(from)
        .filter((task) => status === undefined || task.status === status)
        .filter((task) => !withoutKinds.includes(task.kind))
        .slice(0, limit);
    },
    async cancel(userId, id) {
      const task = own(userId, id);
      if (task === null || task.status !== 'processing') return task;
      tasks.set(id, { ...task, status: 'cancelled', finishedAt: new Date() });
      return tasks.get(id)!;
    },
    resultLink: async () => null,
    async results(userId, id) {
      if (own(userId, id)?.status !== 'completed') return null;
      return (async function* () {
        for (const text of contents.get(id) ?? []) yield Buffer.from(text);
      })();
    },
    set(id, part, results) {
      tasks.set(id, { ...tasks.get(id)!, ...part });
      if (results !== undefined) contents.set(id, results);
    },
  };
}
