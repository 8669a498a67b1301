import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { connectRunning } from '../app/control.ts';
import { FIRST_USER } from '../app/credentials.ts';
import { SCOPES } from '../auth/scopes.ts';
import { createToken } from '../auth/tokens.ts';
import type { Config } from '../config/settings.ts';
import { packageVersion } from '../config/package-version.ts';
import { HOUR_MS } from '../durations.ts';
import { createMcpServer } from '../http/mcp/create-mcp-server.ts';
import { type Send, sendTo } from '../http/mcp/send.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { untilStopped } from './parts/until-stopped.ts';

/** How long a token that the command makes for itself is valid, and when it makes another. */
const TOKEN_MS = 12 * HOUR_MS;
const RENEW_MS = 11 * HOUR_MS;

export const mcp: Command = {
  args: [],
  options: {
    user: {
      type: 'string',
      value: 'EMAIL',
      doc: `On whose behalf, at the service on DATA_DIR; default ${FIRST_USER}.`,
    },
  },
  examples: [
    'npx firstmile mcp',
    'FIRSTMILE_URL=https://firstmile.example.org FIRSTMILE_TOKEN=fm_... npx firstmile mcp',
  ],
  async run(context) {
    const { config, err, signal } = context;
    await using service = config.serviceUrl === null ? await localService(context) : remoteService(config);
    const version = packageVersion();
    const handle = serveStdio(() => createMcpServer(service.send, version), {
      onerror: (error) => err.write(`firstmile mcp: ${error.message}\n`),
    });
    await Promise.race([once(process.stdin, 'close'), untilStopped(signal)]);
    await handle.close();
    return 0;
  },
};

interface OpenedService extends AsyncDisposable {
  readonly send: Send;
}

function remoteService({ serviceUrl, bootstrapToken }: Config): OpenedService {
  if (bootstrapToken === null)
    throw new UsageError('FIRSTMILE_TOKEN is not set: wanted a token of the service at FIRSTMILE_URL');
  return { send: sendTo(serviceUrl!, bootstrapToken), async [Symbol.asyncDispose]() {} };
}

/** The service that holds the data folder, with tokens of its user that end with this command, or half a day later. */
async function localService({ config, options, actOf }: CommandContext): Promise<OpenedService> {
  const running = await connectRunning(config);
  if (running === null)
    throw new UsageError(
      `no service runs on ${config.dataDir} with the embedded database: start one with firstmile serve, or set FIRSTMILE_URL and FIRSTMILE_TOKEN`,
    );
  const email = (options['user'] as string | undefined) ?? FIRST_USER;
  const user = await running.userByEmail(email);
  if (user === null) throw new UsageError(`there is no user ${email}; firstmile user add ${email} makes one`);
  const scopes = SCOPES.filter((scope) => ['validate', 'forest', 'collections'].includes(scope));
  const made: string[] = [];
  let [current, renewAt] = [Promise.resolve(''), -Infinity];
  const makeToken = async (): Promise<string> => {
    const { token, hash } = createToken();
    const added = { userId: user.id, label: 'firstmile mcp', scopes, hash, expiresAt: new Date(Date.now() + TOKEN_MS) };
    made.push((await running.addToken(added, actOf('token_created'))).id);
    return token;
  };
  const address = await running.serviceAddress();
  return {
    async send(request) {
      if (Date.now() >= renewAt) [current, renewAt] = [makeToken(), Date.now() + RENEW_MS];
      current.catch(() => (renewAt = -Infinity));
      return await sendTo(address, await current)(request);
    },
    async [Symbol.asyncDispose]() {
      // A service that has stopped by now leaves tokens that expire.
      for (const id of made) await running.revokeToken(id, actOf('token_revoked')).catch(() => {});
    },
  };
}
