import type { Config } from '../../config/settings.ts';
import { SCOPES } from '../../auth/scopes.ts';
import { baseOf } from '../routes/ogc/answers.ts';
import type { AnyReply, AnyRequest, App } from '../server/app.ts';

/** Where RFC 9728 looks for what is known of `/mcp`, and of a service as a whole. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
export const MCP_PATH = '/mcp';

type ResourceConfig = Pick<Config, 'publicUrl' | 'jwtIssuer'>;

/**
 * Says which issuer gives tokens for the MCP server (RFC 9728), so that an assistant can send its user there. Only where an
 * outside issuer is configured whose name is an address: elsewhere tokens are made by hand, and nothing is promised.
 */
export function protectedResourceRoutes(config: ResourceConfig) {
  const { jwtIssuer, publicUrl } = config;
  return (app: App): void => {
    if (!hasMetadata(config)) return;
    for (const path of [WELL_KNOWN, `${WELL_KNOWN}${MCP_PATH}`])
      app.get(path, { config: { access: 'public' }, schema: { hide: true } }, async (request) => ({
        resource: `${baseOf(request, publicUrl)}${MCP_PATH}`,
        resource_name: 'Firstmile',
        authorization_servers: [jwtIssuer],
        // An assistant has no use for the administration.
        scopes_supported: SCOPES.filter((scope) => scope !== 'admin'),
        bearer_methods_supported: ['header'],
        resource_documentation: `${baseOf(request, publicUrl)}/docs/mcp`,
      }));
  };
}

/** Adds to a refusal of `/mcp` for want of a token where the one who gives it is named. */
export function nameResourceMetadata(request: AnyRequest, reply: AnyReply, config: ResourceConfig): void {
  if (reply.statusCode !== 401 || !hasMetadata(config)) return;
  const challenge = String(reply.getHeader('www-authenticate') ?? 'Bearer');
  const address = `${baseOf(request, config.publicUrl)}${WELL_KNOWN}${MCP_PATH}`;
  reply.header('www-authenticate', `${challenge}, resource_metadata="${address}"`);
}

function hasMetadata({ jwtIssuer }: ResourceConfig): boolean {
  const issuer = jwtIssuer === null ? null : URL.parse(jwtIssuer);
  return issuer !== null && ['https:', 'http:'].includes(issuer.protocol);
}
