/** Which run of which task: the fencing token of everything a worker writes. */
export interface TaskRun {
  readonly id: string;
  readonly attempt: number;
}
