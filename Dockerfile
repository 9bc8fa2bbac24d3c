# lockproof in a container: docker build -t lockproof . && docker run --rm lockproof run \
#   /usr/share/lockproof/scenarios/documented/leases/lease-outlived.toml
FROM debian:12 AS build
WORKDIR /lockproof
COPY . .
RUN ./dev package

FROM debian:12-slim
COPY --from=build /lockproof/out/*.deb /tmp/
RUN apt-get update && apt-get install -y /tmp/*.deb && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENTRYPOINT ["lockproof"]
CMD ["--help"]
