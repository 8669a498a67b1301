import type { tokens as english } from '../en/tokens.ts';

/** Words of the page of tokens, by the keys of the English ones. */
export const tokens: Readonly<Record<keyof typeof english, string>> = {
  'tokens.title': 'Tokens',
  'tokens.lead':
    'Los programas llaman al servicio con un token. El servicio guarda solo un resumen, así que cada uno se muestra una vez.',
  'tokens.notAllowed': 'Los tokens son para administradores',
  'tokens.needsAdmin':
    'Inicie sesión con un token que tenga el permiso «administración». Un acceso por correo nunca lo tiene.',
  'tokens.new': 'Nuevo token',
  'tokens.label': 'Para qué es',
  'tokens.labelExample': 'importación nocturna',
  'tokens.user': 'Correo de su usuario',
  'tokens.lasts': 'Dura',
  'tokens.days': '{days} días',
  'tokens.forever': 'sin fin',
  'tokens.scopes': 'Qué puede hacer',
  'tokens.make': 'Crear el token',
  'tokens.made': 'Su nuevo token',
  'tokens.once': 'Cópielo ahora: no se muestra otra vez.',
  'tokens.kept': 'Ya lo guardé',
  'tokens.all': 'Todos los tokens',
  'tokens.revoked': 'Mostrar revocados',
  'tokens.isRevoked': 'revocado',
  'tokens.none': 'No hay tokens',
  'tokens.created': 'Creado',
  'tokens.expires': 'Caduca',
  'tokens.used': 'Último uso',
  'tokens.never': 'nunca',
  'tokens.actions': 'Acciones',
  'tokens.revoke': 'Revocar',
  'tokens.revokeOne': 'Revocar el token {label}',
  'tokens.sure': 'Revocar definitivamente',
};
