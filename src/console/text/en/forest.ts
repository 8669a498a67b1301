export const forest = {} as const;
