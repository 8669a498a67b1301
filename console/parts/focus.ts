/** As `ref` of what appears in place of the button that was pressed, so that keys go on from there. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/** Gives the keys to the table of the page, from where the detail next to it was opened. */
export function focusTable(): void {
  document.querySelector<HTMLElement>('.vtable')?.focus();
}

/** Whether Escape was pressed where it means nothing to the control itself. */
export function isLeaving(event: KeyboardEvent): boolean {
  return (
    event.key === 'Escape' && !(event.target instanceof Element && event.target.matches('input, select, textarea'))
  );
}
