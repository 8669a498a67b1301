#!/usr/bin/env bash
# Makes certificates.json: an authority and server certificates for tests of TLS, valid for a hundred years where they
# are meant to be valid. Run it again only to add one; the keys protect nothing.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DAYS=36500

authority() { # name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $DAYS -subj "/CN=firstmile test $1" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign \
    -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}
leaf() { # name, authority, subjectAltName, not before, not after
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=firstmile test $1" \
    -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null
  mkdir -p "$work/db" && : > "$work/db/index" && echo 01 > "$work/db/serial"
  printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s/db/index\nserial=%s/db/serial\nnew_certs_dir=%s/db\ndefault_md=sha256\npolicy=p\nunique_subject=no\nrand_serial=yes\n[p]\ncommonName=supplied\n[e]\nsubjectAltName=%s\nbasicConstraints=CA:FALSE\n' \
    "$work" "$work" "$work" "$3" > "$work/ca.cnf"
  openssl ca -batch -notext -config "$work/ca.cnf" -extensions e -cert "$work/$2.pem" -keyfile "$work/$2.key" \
    -startdate "$4" -enddate "$5" -in "$work/$1.csr" -out "$work/$1.pem" 2>/dev/null
}

authority authority
authority stranger
NAMES='DNS:*.receivers.test,DNS:receivers.test,DNS:localhost,IP:127.0.0.1,IP:::1'
leaf valid authority "$NAMES" 20250101000000Z 21250101000000Z
leaf expired authority "$NAMES" 20200101000000Z 20210101000000Z
leaf future authority "$NAMES" 21000101000000Z 21250101000000Z
leaf other-name authority 'DNS:elsewhere.test' 20250101000000Z 21250101000000Z
leaf untrusted stranger "$NAMES" 20250101000000Z 21250101000000Z
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $DAYS -subj '/CN=firstmile test self-signed' \
  -addext "subjectAltName=$NAMES" -keyout "$work/self-signed.key" -out "$work/self-signed.pem" 2>/dev/null

python3 - "$work" > certificates.json <<'PY'
import json, pathlib, sys
work = pathlib.Path(sys.argv[1])
names = ['valid', 'expired', 'future', 'other-name', 'untrusted', 'self-signed']
read = lambda name: (work / name).read_text()
print(json.dumps({'authority': read('authority.pem'),
                  **{name: {'cert': read(f'{name}.pem'), 'key': read(f'{name}.key')} for name in names}}, indent=1))
PY
