/** What was looked at, what was found and what to do, in words for the operator. Nothing in it is a secret. */
export interface Finding {
  readonly about: 'settings' | 'node' | 'memory' | 'disk' | 'database' | 'bucket' | 'data' | 'port' | 'address';
  /** `fault`: the service does not start or does not work. `notice`: it works, and there is something to know. */
  readonly state: 'ok' | 'notice' | 'fault';
  readonly looked_at: string;
  readonly found: string;
  /** What to do; null where there is nothing. */
  readonly remedy: string | null;
}

export function ok(about: Finding['about'], lookedAt: string, found: string): Finding {
  return { about, state: 'ok', looked_at: lookedAt, found, remedy: null };
}

export function notice(about: Finding['about'], lookedAt: string, found: string, remedy: string): Finding {
  return { about, state: 'notice', looked_at: lookedAt, found, remedy };
}

export function fault(about: Finding['about'], lookedAt: string, found: string, remedy: string): Finding {
  return { about, state: 'fault', looked_at: lookedAt, found, remedy };
}
