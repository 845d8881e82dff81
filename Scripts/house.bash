# What every script here begins with: stand at the root, and know where libraries are.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Homebrew keeps headers where no compiler looks by itself.
if [[ $(uname) == Darwin ]] && command -v brew >/dev/null; then
  export CPATH="$(brew --prefix)/include${CPATH:+:$CPATH}"
  export LIBRARY_PATH="$(brew --prefix)/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
fi

source Scripts/progress.bash

# SwiftPM keeps the plan that it built by last, and takes it for that of another package which builds in the same .build:
# that package would then not be built. So whatever builds there plans again.
planned=--disable-build-manifest-caching

# The packages in Benchmarks/ and Examples/ build in the root's .build: what both need is built once.
# They take the root's versions too, so that nothing is fetched or built in a second version.
share_versions() { # share_versions PACKAGE_FOLDER
  [[ Package.resolved -nt $1/Package.resolved ]] || return 0
  cp Package.resolved "$1/Package.resolved"
}
