# lockproof in a container: docker build -t lockproof . && docker run --rm lockproof demo
FROM debian:12 AS build
WORKDIR /lockproof
COPY . .
RUN ./dev bundle

FROM debian:12-slim
COPY --from=build /lockproof/out/lockproof-*-linux-*.tar.gz /tmp/
RUN mkdir /opt/lockproof && tar xzf /tmp/lockproof-*.tar.gz -C /opt/lockproof --strip-components=1 && \
    rm /tmp/lockproof-*.tar.gz && ln -s /opt/lockproof/bin/lockproof /usr/local/bin/lockproof
ENTRYPOINT ["lockproof"]
CMD ["--help"]
