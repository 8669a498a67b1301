export function memoryFlags(version: string): string[];
