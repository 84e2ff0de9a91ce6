# status.sh N COMMAND...: succeeds if the command ends with exit status N.
expected=$1
shift
"$@"
status=$?
[ "$status" = "$expected" ] || { echo "status $status, expected $expected" >&2; exit 1; }
