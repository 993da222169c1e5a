# syntax=docker/dockerfile:1
# docker build .               the native worker, on an image without shell, packages and .NET
# docker build --target jit .  the worker on .NET, for dotnet-trace and dotnet-dump (docs/guides/native.md)
# The SDK is the one that made the lock files, and all images are of the same Ubuntu: the native worker needs the C library that it was linked with.
FROM mcr.microsoft.com/dotnet/sdk:10.0.401-noble-aot@sha256:1a069a730888d278b5ac00e3e238707387d20d2b65f0fc6866b6180df0a767e0 AS source
WORKDIR /repo
COPY global.json Directory.Build.props Directory.Packages.props .editorconfig BannedSymbols.txt appsettings.json ./
# The page shows the guide of each alert.
COPY docs/guides/alerts.md docs/guides/
COPY src src

FROM source AS publish-jit
RUN dotnet restore src/Worker --locked-mode
RUN dotnet publish src/Worker -c Release --no-restore -o /app
# The unprivileged user may write only where objects and dead letters go, so the root can be read-only.
RUN mkdir /app/data /app/dead-letters && chown 1654:1654 /app/data /app/dead-letters

FROM source AS publish-native
RUN dotnet restore src/Worker --locked-mode -p:Native=true
RUN dotnet publish src/Worker -c Release --no-restore -p:Native=true -o /app
RUN mkdir /app/data /app/dead-letters && chown 1654:1654 /app/data /app/dead-letters

FROM mcr.microsoft.com/dotnet/aspnet:10.0.12-noble-chiseled@sha256:9651fa59abcdf177c30392cb44a820605ca5d618429ab37acbf6e7c644510b02 AS jit
WORKDIR /app
COPY --from=publish-jit /app .
USER 1654
# Inside a container loopback would be unreachable; publish the port on the host's loopback. Requests may name any address and any name
# without a dot as their Host; where a proxy passes a public name on, add -e Hosting__AllowedHosts=worker.example.com.
ENV Hosting__Url=http://0.0.0.0:8080 DOTNET_EnableDiagnostics_IPC=1 DOTNET_gcServer=0
EXPOSE 8080
VOLUME ["/app/data", "/app/dead-letters"]
STOPSIGNAL SIGTERM
# Unhealthy only when a restart helps. A check starts .NET, 0.2 s of processor time.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["dotnet", "Worker.dll", "health"]
ENTRYPOINT ["dotnet", "Worker.dll"]

FROM mcr.microsoft.com/dotnet/runtime-deps:10.0.12-noble-chiseled@sha256:18d4848091a40d13dbfdd6a8340c1657dc3e2f2d7fa2f042e9d162e68669dbc9 AS native
WORKDIR /app
COPY --from=publish-native /app .
USER 1654
ENV Hosting__Url=http://0.0.0.0:8080
EXPOSE 8080
VOLUME ["/app/data", "/app/dead-letters"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/app/Worker", "health"]
ENTRYPOINT ["/app/Worker"]
