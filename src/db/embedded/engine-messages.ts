/** What the service requests from the thread of the embedded database. */
export type EngineRequest =
  | { readonly id: number; readonly type: 'open'; readonly folder: string }
  | { readonly id: number; readonly type: 'query'; readonly sql: string; readonly parameters: unknown[] }
  | { readonly id: number; readonly type: 'close' };

export type EngineReply =
  | { readonly id: number; readonly ok: true; readonly rows: unknown[]; readonly rowCount: number }
  | { readonly id: number; readonly ok: false; readonly error: Readonly<Record<string, string>> };
