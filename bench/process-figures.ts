import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Processor time so far of a process, `PID`, or of one of its threads, `PID/task/TID`, in milliseconds, in steps of 10. */
export function processorMs(place: number | string): number {
  const text = readFileSync(`/proc/${place}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process in MB: what it holds now, or the most that it held. */
export function memoryMb(pid: number | string, field: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? 0) / 1024);
}

/** Makes the most memory that a process held count from here. */
export function forgetPeak(pid: number | string): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** A process and those that it and its children started. */
export function processTree(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}
