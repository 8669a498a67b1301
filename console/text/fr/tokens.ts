import type { tokens as english } from '../en/tokens.ts';

/** Words of the page of tokens, by the keys of the English ones. */
export const tokens: Readonly<Record<keyof typeof english, string>> = {
  'tokens.title': 'Jetons',
  'tokens.lead':
    'Les programmes appellent le service avec un jeton. Le service n’en garde qu’une empreinte : chacun n’est affiché qu’une fois.',
  'tokens.notAllowed': 'Les jetons sont pour les administrateurs',
  'tokens.needsAdmin':
    'Connectez-vous avec un jeton qui a le droit « administration ». Un accès par e-mail ne l’a jamais.',
  'tokens.new': 'Nouveau jeton',
  'tokens.label': 'À quoi il sert',
  'tokens.labelExample': 'import nocturne',
  'tokens.user': 'E-mail de son utilisateur',
  'tokens.lasts': 'Durée',
  'tokens.days': '{days} jours',
  'tokens.forever': 'sans fin',
  'tokens.scopes': 'Ce qu’il peut faire',
  'tokens.make': 'Créer le jeton',
  'tokens.made': 'Votre nouveau jeton',
  'tokens.once': 'Copiez-le maintenant : il n’est plus affiché.',
  'tokens.kept': 'Je l’ai gardé',
  'tokens.all': 'Tous les jetons',
  'tokens.revoked': 'Montrer les révoqués',
  'tokens.isRevoked': 'révoqué',
  'tokens.none': 'Il n’y a pas de jetons',
  'tokens.created': 'Créé',
  'tokens.expires': 'Expire',
  'tokens.used': 'Dernier usage',
  'tokens.never': 'jamais',
  'tokens.actions': 'Actions',
  'tokens.revoke': 'Révoquer',
  'tokens.revokeOne': 'Révoquer le jeton {label}',
  'tokens.sure': 'Révoquer définitivement',
};
