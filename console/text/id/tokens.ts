import type { tokens as english } from '../en/tokens.ts';

/** Words of the page of tokens, by the keys of the English ones. */
export const tokens: Readonly<Record<keyof typeof english, string>> = {
  'tokens.title': 'Token',
  'tokens.lead':
    'Program memanggil layanan dengan token. Layanan hanya menyimpan ringkasannya, jadi masing-masing ditampilkan sekali.',
  'tokens.notAllowed': 'Token untuk administrator',
  'tokens.needsAdmin':
    'Masuk dengan token yang memiliki hak “administrasi”. Akses lewat email tidak pernah memilikinya.',
  'tokens.new': 'Token baru',
  'tokens.label': 'Untuk apa',
  'tokens.labelExample': 'impor malam',
  'tokens.user': 'Email penggunanya',
  'tokens.lasts': 'Berlaku',
  'tokens.days': '{days} hari',
  'tokens.forever': 'tanpa akhir',
  'tokens.scopes': 'Yang boleh dilakukan',
  'tokens.make': 'Buat token',
  'tokens.made': 'Token baru Anda',
  'tokens.once': 'Salin sekarang: tidak ditampilkan lagi.',
  'tokens.kept': 'Sudah saya simpan',
  'tokens.all': 'Semua token',
  'tokens.revoked': 'Tampilkan yang dicabut',
  'tokens.isRevoked': 'dicabut',
  'tokens.none': 'Tidak ada token',
  'tokens.created': 'Dibuat',
  'tokens.expires': 'Kedaluwarsa',
  'tokens.used': 'Terakhir dipakai',
  'tokens.never': 'tidak pernah',
  'tokens.actions': 'Tindakan',
  'tokens.revoke': 'Cabut',
  'tokens.revokeOne': 'Cabut token {label}',
  'tokens.sure': 'Cabut selamanya',
};
