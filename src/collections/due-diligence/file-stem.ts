/** The name of a collection as the beginning of a file name that every system takes, with the start of its id. */
export function fileStem({ id, name }: { readonly id: string; readonly name: string }): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
  return `${plain === '' ? 'collection' : plain}-${id.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 8)}`;
}
