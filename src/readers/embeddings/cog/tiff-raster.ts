import { utmZoneOfEpsg } from '../../../geo/crs/utm.ts';
import { isFileSource, type FileByteSource } from '../../io/file-source.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { northUpTransform, TiffError, type TiffImage } from '../../formats/tiff/tiff-image.ts';
import { openTiff } from '../../formats/tiff/open-tiff.ts';
import type { EmbeddingDeps } from '../embedding-source.ts';
import { tiffCodeBlocks } from './tiff-blocks.ts';
import { createOpenFiles, type OpenFiles } from '../zone-raster/files.ts';
import type { RasterLattice } from '../zone-raster/lattice.ts';
import type { RasterBlocks } from '../zone-raster/zone-raster.ts';

/** Files held open at once; the header of a public COG takes about 70 kB. */
const OPEN_FILES = 64;

/**
 * The TIFF files of a raster, opened by their paths through `sourceOf` when they are read. A file must hold AEF codes on
 * a lattice in EPSG:4326 or UTM on WGS84, not rotated; its rows may run north. Opening another one rejects with a
 * `TiffError` that says what was wanted, and like `openTiff`.
 */
export function openRasterFiles(
  sourceOf: (path: string) => ByteSource | FileByteSource,
  { decoder, cached }: Pick<EmbeddingDeps, 'decoder' | 'cached'>,
): OpenFiles<RasterBlocks> {
  return createOpenFiles({
    max: OPEN_FILES,
    async open(path, signal) {
      const source = sourceOf(path);
      try {
        const image = await openTiff(source, signal);
        const lattice = latticeOf(image, source.id);
        // The header was read from the version that the source holds on to.
        const version = (await source.stat({ signal }))?.version ?? null;
        const blocks = cached(tiffCodeBlocks(source, image, { version, decoder }), !isFileSource(source));
        return { source, lattice, blocks };
      } catch (error) {
        await disposeOf(source);
        throw error;
      }
    },
    close: ({ source }) => disposeOf(source),
  });
}

/** Closes what holds a file open. */
export async function disposeOf(source: ByteSource | FileByteSource): Promise<void> {
  if (isFileSource(source)) await source[Symbol.asyncDispose]();
}

function latticeOf(image: TiffImage, place: string): RasterLattice {
  const { width, height, crs } = image;
  const transform = northUpTransform(image);
  if (transform === null) throw refused(place, 'wanted a file that says where its pixels lie, got one without');
  const [a, b, , d] = transform;
  if (!(a > 0 && b === 0 && d === 0))
    throw refused(place, `wanted rows that run from west to east, got the transform ${transform.join(', ')}`);
  if (crs === null || (crs !== 'EPSG:4326' && utmZoneOfEpsg(Number(crs.slice('EPSG:'.length))) === null))
    throw refused(place, `wanted EPSG:4326 or a UTM zone on WGS84, got ${crs ?? 'no CRS with a code'}`);
  return { crs, width, height, transform };
}

function refused(place: string, detail: string): TiffError {
  return new TiffError('unsupported', place, detail);
}
