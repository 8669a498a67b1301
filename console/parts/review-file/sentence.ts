/** Messages are no whole sentences where they end with a reason. */
export function sentence(text: string): string {
  return /[.!?。]$/.test(text) ? text : `${text}.`;
}
