#!/bin/sh
# Installs the systems that utils/bench_peers.py times beside Weft: packages of apt (as root only) and of npm, which go
# into the folder given. Their install scripts do not run. usage: utils/peers/install.sh [FOLDER (build/peers)]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-build/peers}
packages="python3-torch python3-numpy libopenblas0-openmp libdnnl-dev g++"
if [ "$(id -u)" = 0 ]; then
  DEBIAN_FRONTEND=noninteractive apt-get update -qq
  # shellcheck disable=SC2086 # a list of names
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
else
  echo "not root: left out is  apt-get install --no-install-recommends $packages" >&2
fi
mkdir -p "$folder/npm"
if command -v npm >/dev/null; then
  [ -f "$folder/npm/package.json" ] || echo '{"private": true}' >"$folder/npm/package.json"
  npm install --prefix "$folder/npm" --silent --ignore-scripts onnxruntime-node@1.30.0 @node-llama-cpp/linux-x64@3.22.1
else
  echo "no npm: left out are ONNX Runtime and llama.cpp" >&2
fi
if [ -f /usr/include/oneapi/dnnl/dnnl.hpp ] || [ -f /usr/include/x86_64-linux-gnu/oneapi/dnnl/dnnl.hpp ]; then
  g++ -O2 -fopenmp -shared -fPIC "$here/onednn.cpp" -ldnnl -o "$folder/libonednn_products.so"
fi
