#!/bin/sh
# Launch.sh CCACHE COMPILER ARGUMENTS...: compiles by ccache. For each source it would read the precompiled header, which
# is larger than all else, and run the preprocessor: a source that it does not have yet took twice the compiler's time. It
# takes the sum that lies beside the header, and what a source includes from the compiler.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
"$@" || exit
case " $* " in
*' -emit-pch '*) ;;
*) exit ;;
esac
for argument; do
  [ "${last-}" != -o ] || md5sum <"$argument" >"$argument.sum"
  last=$argument
done
