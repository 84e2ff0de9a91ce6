# complete.sh SHARE WORD...: what bash offers for the last word, a line each.
source "$1/bash-completion/completions/$2"
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"_${2//-/_}"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
