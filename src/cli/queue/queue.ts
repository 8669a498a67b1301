import { showQueue } from '../../app/queue-admin.ts';
import { FAILED_SHOWN, WAITING_SHOWN, type QueueView } from '../../db/tasks/show-queue.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const queue: Command = {
  args: [],
  options: { json: { type: 'boolean', doc: 'JSON instead of tables.' } },
  examples: ['npx firstmile queue', 'npx firstmile queue --json'],
  async run({ options, config, out }) {
    const view = await showQueue(config);
    out.write(options['json'] === true ? `${JSON.stringify(view, null, 2)}\n` : asText(view));
    return 0;
  },
};

function asText({ kinds, running, waiting, failed }: QueueView): string {
  if (kinds.length === 0) return 'No task waits, runs or has failed.\n';
  const sections = [
    textTable(
      ['kind', 'waiting', 'running', 'parts waiting', 'parts running', 'failed', 'oldest waiting'],
      kinds.map((kind) => [
        kind.kind,
        ...[kind.waiting, kind.running, kind.parts_waiting, kind.parts_running, kind.failed].map(String),
        kind.oldest_waiting_s === null ? '' : lasting(kind.oldest_waiting_s),
      ]),
      [1, 2, 3, 4, 5],
    ),
    section(
      'Running',
      ['task', 'kind', 'part', 'user', 'worker', 'since', 'attempt'],
      running.map(({ id, kind, part, user_id: user, worker, since, attempt, is_lost: isLost }) => [
        id,
        kind,
        part === null ? '' : String(part),
        user,
        isLost ? `${worker ?? ''} (lost)` : (worker ?? ''),
        since ?? '',
        String(attempt),
      ]),
    ),
    section(
      waiting.length === WAITING_SHOWN ? `Waiting, the oldest ${WAITING_SHOWN}` : 'Waiting, the oldest first',
      ['task', 'kind', 'parts', 'user', 'since'],
      waiting.map(({ id, kind, parts, user_id: user, since }) => [id, kind, String(parts ?? ''), user, since]),
    ),
    section(
      failed.length === FAILED_SHOWN ? `Failed, the newest ${FAILED_SHOWN}` : 'Failed, the newest first',
      ['task', 'kind', 'user', 'at', 'code', 'detail'],
      failed.map(({ id, kind, user_id: user, at, code, detail }) => [id, kind, user, at, code, detail.slice(0, 80)]),
    ),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

function section(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `${title}\n${textTable(headings, rows)}`;
}

/** Seconds in the two largest units that say something. */
function lasting(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
