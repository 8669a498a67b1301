import { randomUUID } from 'node:crypto';
import type { AuditLog, RecordedAct } from '../../src/auth/audit-log.ts';

/** An audit log kept in memory. */
export function memoryAudit(): AuditLog {
  const acts: RecordedAct[] = [];
  return {
    async recordAct(act) {
      acts.unshift({ detail: {}, at: new Date(), ...act, id: randomUUID() });
    },
    async listActs({ limit, before, act }) {
      const from = before === undefined ? 0 : acts.findIndex(({ id }) => id === before) + 1;
      return acts
        .slice(from)
        .filter((one) => act === undefined || one.act === act)
        .slice(0, limit);
    },
  };
}
