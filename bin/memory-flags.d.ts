export function memoryFlags(version: string): string[];
export const memorySettings: Readonly<Record<string, string>>;
export function leaveYoungHeapsToThreads(): void;
