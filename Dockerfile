# Builds starlingd, starling and the feature-flags example, and ships them without a toolchain.
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:bookworm-slim

FROM ${BUILD_IMAGE} AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
    libzmq3-dev libsqlite3-dev libcurl4-openssl-dev libnats-dev libsodium-dev make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN swift build -c release --traits NATS --static-swift-stdlib -Xlinker -lcurl --product starlingd \
 && swift build -c release --traits NATS --static-swift-stdlib --product starling \
 && swift build -c release --traits NATS --static-swift-stdlib --package-path Examples/FeatureFlags --product feature-flags \
 && mkdir -p /programs \
 && cp .build/release/starlingd .build/release/starling Examples/FeatureFlags/.build/release/feature-flags /programs/

FROM ${RUNTIME_IMAGE} AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends libzmq5 libsqlite3-0 libcurl4 libnats3.4 libsodium23 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 7400 starling \
 && install -d -o starling -m 700 /data /links /run/starling
# Where the processes of one site find each other.
ENV STARLING_SOCKETS=/run/starling
# Where the health check asks; within the container alone.
ENV STARLING_METRICS=127.0.0.1:9464
# Whoever has the programs already hands them over: --build-context build=DIRECTORY, with programs/ in it.
COPY --from=build /programs/ /usr/local/bin/
USER starling
VOLUME ["/data", "/links", "/run/starling"]
STOPSIGNAL SIGTERM
# The image has no curl; bash speaks TCP.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9464 && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["/usr/local/bin/starlingd"]
