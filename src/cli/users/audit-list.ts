import { AUDITED_ACTS, type RecordedAct } from '../../auth/audit-log.ts';
import { openAudit } from '../../app/audit.ts';
import { UsageError, type Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

const MAX_ACTS = 1_000;

export const auditList: Command = {
  args: [],
  options: {
    limit: { type: 'string', value: 'N', doc: `Newest acts to show, 1 to ${MAX_ACTS}; default 50.` },
    act: { type: 'string', value: 'ACT', doc: `Only one kind: ${AUDITED_ACTS.join(', ')}.` },
    json: { type: 'boolean', doc: 'One JSON array instead of a table, with every detail.' },
  },
  examples: ['npx firstmile audit list', 'npx firstmile audit list --act token_created --json'],
  async run({ options, config, out, err }) {
    const limit = Number(options['limit'] ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ACTS)
      throw new UsageError(`--limit: wanted a whole number from 1 to ${MAX_ACTS}, got "${String(options['limit'])}"`);
    const act = AUDITED_ACTS.find((one) => one === options['act']);
    if (options['act'] !== undefined && act === undefined)
      throw new UsageError(`--act: wanted one of ${AUDITED_ACTS.join(', ')}, got "${String(options['act'])}"`);
    await using opened = await openAudit(config);
    const acts = await opened.audit.listActs({ limit, ...(act && { act }) });
    if (options['json'] === true) out.write(`${JSON.stringify(acts, null, 2)}\n`);
    else if (acts.length === 0) err.write('No administrative act is recorded.\n');
    else out.write(textTable(['at', 'act', 'target', 'by', 'with', 'from'], acts.map(row)));
    return 0;
  },
};

function row({ at, act, target, actor, credential, source }: RecordedAct): string[] {
  return [at.toISOString(), act, target, actor, credential, source];
}
