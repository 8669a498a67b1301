import { totalmem } from 'node:os';
import type { Finding } from '../app/doctor/finding.ts';
import type { BareCommand } from './command.ts';

export const doctor: BareCommand = {
  args: [],
  options: { json: { type: 'boolean', doc: 'One JSON array instead of lines.' } },
  examples: ['npx firstmile doctor', 'npx firstmile doctor --json | jq \'.[] | select(.state != "ok")\''],
  async runBare({ options, out, err, readConfig }) {
    const { examine } = await import('../app/doctor/examine.ts');
    const findings = await examine(readConfig, {
      nodeVersion: process.versions.node,
      execPath: process.execPath,
      execArgv: process.execArgv,
      // 0, or a number beyond the machine's, where nothing limits the process.
      memoryBytes: Math.min(process.constrainedMemory() || Infinity, totalmem()),
      availableBytes: process.availableMemory(),
    });
    const faults = findings.filter(({ state }) => state === 'fault').length;
    if (options['json'] === true) out.write(`${JSON.stringify(findings, null, 2)}\n`);
    else {
      out.write(findings.map(lines).join(''));
      err.write(
        faults === 0 ? 'Nothing keeps the service from running.\n' : `${faults} of ${findings.length} are faults.\n`,
      );
    }
    return faults === 0 ? 0 : 1;
  },
};

const MARKS = { ok: 'ok    ', notice: 'notice', fault: 'FAULT ' } as const;

function lines({ about, state, looked_at: lookedAt, found, remedy }: Finding): string {
  const first = `${MARKS[state]}  ${about.padEnd(8)}  ${lookedAt}: ${found}\n`;
  return remedy === null ? first : `${first}${' '.repeat(18)}what to do: ${remedy}\n`;
}
