/** What the settings say of the bucket. */
export interface BucketConfig {
  readonly objectStoreUrl: string | null;
  readonly objectStoreStyle: 'auto' | 'path' | 'host';
  readonly objectStoreRegion: string;
  readonly objectStoreKeyId: string | null;
  readonly objectStoreSecret: string | null;
  readonly objectStoreSession: string | null;
}

/** Where a bucket is and how requests to it are signed. */
export interface BucketPlace {
  /** Address of the bucket itself, without a slash at its end. */
  readonly bucketUrl: string;
  /** Put before every key; empty or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** A host of AWS that begins with the name of a bucket. */
const AWS_BUCKET_HOST = /^.+\.s3[.-].*\bamazonaws\.com(\.cn)?$/;

/** The bucket of the settings; null where none is set, or its address names none. */
export function bucketPlace(config: BucketConfig): BucketPlace | null {
  const { objectStoreUrl, objectStoreKeyId, objectStoreSecret } = config;
  if (objectStoreUrl === null || objectStoreKeyId === null || objectStoreSecret === null) return null;
  const place = placeOf(new URL(objectStoreUrl), config);
  if (place === null) return null;
  return {
    ...place,
    region: config.objectStoreRegion,
    accessKeyId: objectStoreKeyId,
    secretAccessKey: objectStoreSecret,
    sessionToken: config.objectStoreSession,
  };
}

function placeOf(
  { protocol, host, origin, pathname }: URL,
  { objectStoreStyle, objectStoreRegion }: BucketConfig,
): Pick<BucketPlace, 'bucketUrl' | 'prefix'> | null {
  const parts = pathname.split('/').filter((part) => part !== '');
  if (protocol === 's3:') {
    const aws = `s3.${objectStoreRegion}.amazonaws.com`;
    // A certificate for *.s3.amazonaws.com covers no bucket with a dot in its name.
    const bucketUrl = host.includes('.') ? `https://${aws}/${host}` : `https://${host}.${aws}`;
    return { bucketUrl, prefix: prefixOf(parts) };
  }
  const isHost = objectStoreStyle === 'host' || (objectStoreStyle === 'auto' && AWS_BUCKET_HOST.test(host));
  if (isHost) return { bucketUrl: origin, prefix: prefixOf(parts) };
  const [bucket, ...rest] = parts;
  return bucket === undefined ? null : { bucketUrl: `${origin}/${bucket}`, prefix: prefixOf(rest) };
}

function prefixOf(parts: readonly string[]): string {
  return parts.map((part) => `${part}/`).join('');
}
