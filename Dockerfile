# Builds starlingd, starling and the feature-flags example, and ships them without a toolchain. The target nats is a NATS
# server for docker-compose.yml.
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    libzmq3-dev libsqlite3-dev libcurl4-openssl-dev libnats-dev libsodium-dev make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN Scripts/static-programs starlingd starling feature-flags \
 && mkdir -p /programs \
 && cd .build/install/release \
 && cp starlingd starling feature-flags /programs/ \
 && strip --strip-unneeded /programs/*

FROM ${RUNTIME_IMAGE} AS nats
RUN apt-get update \
 && apt-get install -y --no-install-recommends nats-server \
 && rm -rf /var/lib/apt/lists/*
COPY Packaging/answers /usr/local/bin/
COPY Packaging/nats.conf /etc/nats.conf
USER nobody
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["answers", "8222", "/healthz"]
ENTRYPOINT ["/usr/sbin/nats-server", "-c", "/etc/nats.conf"]

FROM ${RUNTIME_IMAGE} AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends libzmq5 libsqlite3-0 libcurl4 libnats3.4 libsodium23 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 7400 starling \
 && install -d -o starling -m 700 /data /keys /run/starling /keys-of/1 /keys-of/2 /keys-of/3
# Where the processes of one site find each other.
ENV STARLING_SOCKETS=/run/starling
# Where the health check asks; within the container alone.
ENV STARLING_METRICS=127.0.0.1:9464
COPY Packaging/answers /usr/local/bin/
# Whoever has the programs already hands them over: --build-context build=DIRECTORY, with programs/ in it.
COPY --from=build /programs/ /usr/local/bin/
USER starling
# A new volume has the owner of the directory where it is mounted first. The service keys of docker-compose.yml mounts the
# directories of keys of three daemons in /keys-of.
VOLUME ["/data", "/keys", "/run/starling"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["answers", "9464", "/readyz"]
ENTRYPOINT ["/usr/local/bin/starlingd"]
