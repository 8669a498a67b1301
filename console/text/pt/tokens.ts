import type { tokens as english } from '../en/tokens.ts';

/** Words of the page of tokens, by the keys of the English ones. */
export const tokens: Readonly<Record<keyof typeof english, string>> = {
  'tokens.title': 'Tokens',
  'tokens.lead':
    'Programas chamam o serviço com um token. O serviço guarda só um resumo dele, por isso cada um é mostrado uma vez.',
  'tokens.notAllowed': 'Os tokens são para administradores',
  'tokens.needsAdmin': 'Entre com um token que tenha o direito “administração”. Um acesso por e-mail nunca o tem.',
  'tokens.new': 'Novo token',
  'tokens.label': 'Para que serve',
  'tokens.labelExample': 'importação noturna',
  'tokens.user': 'E-mail do seu utilizador',
  'tokens.lasts': 'Dura',
  'tokens.days': '{days} dias',
  'tokens.forever': 'sem fim',
  'tokens.scopes': 'O que pode fazer',
  'tokens.make': 'Criar o token',
  'tokens.made': 'O seu novo token',
  'tokens.once': 'Copie-o agora: não é mostrado de novo.',
  'tokens.kept': 'Já o guardei',
  'tokens.all': 'Todos os tokens',
  'tokens.revoked': 'Mostrar revogados',
  'tokens.isRevoked': 'revogado',
  'tokens.none': 'Não há tokens',
  'tokens.created': 'Criado',
  'tokens.expires': 'Expira',
  'tokens.used': 'Último uso',
  'tokens.never': 'nunca',
  'tokens.actions': 'Ações',
  'tokens.revoke': 'Revogar',
  'tokens.revokeOne': 'Revogar o token {label}',
  'tokens.sure': 'Revogar de vez',
};
