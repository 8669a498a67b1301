#!/bin/sh
# Checks one stored webhook by hand, with openssl: WEBHOOK_SECRET=whsec_... sh verify.sh BODY_FILE SIGNATURE_HEADER
# For looking into a problem only: the secret shows in the list of processes, and time and repetition are not checked.
set -eu
header=$2
t=$(printf '%s' "$header" | sed -n 's/^t=\([0-9]\{1,12\}\), *v1=[0-9a-f]\{64\}$/\1/p')
given=$(printf '%s' "$header" | sed -n 's/^t=[0-9]\{1,12\}, *v1=\([0-9a-f]\{64\}\)$/\1/p')
[ -n "$t" ] || { echo 'the header is not t=<seconds>, v1=<64 hex digits>' >&2; exit 1; }
wanted=$({ printf '%s.' "$t"; cat -- "$1"; } | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.*= *//')
[ "$wanted" = "$given" ] || { echo 'the signature does not fit' >&2; exit 1; }
echo "the signature fits; signed at $t"
