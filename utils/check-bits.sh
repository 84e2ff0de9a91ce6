#!/bin/sh
# check-bits.sh [FLAGS] [FOLDER]...: the same bits in every way to compute a result, of every golden model in every type.
exec python3 "$(dirname "$0")/check_bits.py" "$@"
