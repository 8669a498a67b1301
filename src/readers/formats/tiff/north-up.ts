import type { TiffImage } from './tiff-image.ts';

/** Whether the file stores its southern row first, as the public AEF files do. */
export function isBottomUp({ transform }: TiffImage): boolean {
  return transform !== null && transform[4] > 0;
}

/** The image's transform for rows counted from its northern edge; null when the image is not placed. */
export function northUpTransform(image: TiffImage): TiffImage['transform'] {
  if (image.transform === null || !isBottomUp(image)) return image.transform;
  const [a, b, c, d, e, f] = image.transform;
  return [a, -b, c + b * image.height, d, -e, f + e * image.height];
}
