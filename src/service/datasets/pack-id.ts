/** Ids of packs and registries begin those of their datasets. */
export function isPackId(text: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,79}$/.test(text);
}

/** An id from the name of a file, or null when nothing of it is left. */
export function packIdOf(fileName: string): string | null {
  const id = fileName
    .replace(/(\.osm)?\.pbf$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 80);
  return isPackId(id) ? id : null;
}
