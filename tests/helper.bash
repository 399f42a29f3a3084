PATH=$(cd "${BUILD:-build}" && pwd):$PATH
