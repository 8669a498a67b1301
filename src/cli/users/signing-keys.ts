import { openSigningAdmin } from '../../app/signatures/signing-admin.ts';
import { keySetOf, pemOf } from '../../signatures/signing-key.ts';
import type { Command } from '../command.ts';
import { textTable } from '../parts/text-table.ts';

export const signingKeyList: Command = {
  args: [],
  options: {
    json: { type: 'boolean', doc: 'The public keys as a JWK set, as the service publishes them.' },
    pem: { type: 'boolean', doc: 'The public keys as PEM.' },
  },
  examples: ['npx firstmile signing-key list', 'npx firstmile signing-key list --json > keys.json'],
  async run({ options, config, out }) {
    await using opened = await openSigningAdmin(config);
    const keys = await opened.signing.listSigningKeys();
    if (options['json'] === true) out.write(`${JSON.stringify(keySetOf(keys), null, 2)}\n`);
    else if (options['pem'] === true) out.write(pemOf(keys));
    else {
      const rows = keys.map(({ id, createdAt, retiredAt }) => [
        id,
        createdAt?.toISOString() ?? '',
        retiredAt?.toISOString() ?? 'in use',
      ]);
      out.write(textTable(['key', 'signs since', 'retired'], rows));
    }
    return 0;
  },
};

export const signingKeyRotate: Command = {
  args: [],
  options: {},
  examples: ['npx firstmile signing-key rotate'],
  async run({ config, out, actOf }) {
    await using opened = await openSigningAdmin(config);
    const id = await opened.signing.rotateSigningKey({ act: actOf('signing_key_rotated') });
    out.write(`The key ${id} signs from now on. Files that were signed before verify as they did.\n`);
    return 0;
  },
};
