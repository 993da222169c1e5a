# syntax=docker/dockerfile:1
FROM mcr.microsoft.com/dotnet/sdk:10.0 AS build
WORKDIR /repo
# Project files first: the restore layer is reused until a package changes.
COPY global.json Directory.Build.props Directory.Packages.props .editorconfig BannedSymbols.txt ./
COPY src/Pipeline/Pipeline.csproj src/Pipeline/packages.lock.json src/Pipeline/
COPY src/Pipeline.Generators/Pipeline.Generators.csproj src/Pipeline.Generators/packages.lock.json src/Pipeline.Generators/
COPY src/Directory.Build.props src/
COPY src/Messaging/Messaging.csproj src/Messaging/packages.lock.json src/Messaging/
COPY src/Messaging.Http/Messaging.Http.csproj src/Messaging.Http/packages.lock.json src/Messaging.Http/
COPY src/Messaging.Aws/Messaging.Aws.csproj src/Messaging.Aws/packages.lock.json src/Messaging.Aws/
COPY src/Messaging.AzureServiceBus/Messaging.AzureServiceBus.csproj src/Messaging.AzureServiceBus/packages.lock.json src/Messaging.AzureServiceBus/
COPY src/Messaging.Sockets/Messaging.Sockets.csproj src/Messaging.Sockets/packages.lock.json src/Messaging.Sockets/
COPY src/Messaging.CommandLine/Messaging.CommandLine.csproj src/Messaging.CommandLine/packages.lock.json src/Messaging.CommandLine/
COPY src/Messaging.CloudFront/Messaging.CloudFront.csproj src/Messaging.CloudFront/packages.lock.json src/Messaging.CloudFront/
COPY src/Worker/Worker.csproj src/Worker/packages.lock.json src/Worker/
RUN dotnet restore src/Worker --locked-mode
COPY appsettings.json ./
COPY src src
RUN dotnet publish src/Worker -c Release --no-restore -o /app

FROM mcr.microsoft.com/dotnet/aspnet:10.0
WORKDIR /app
COPY --from=build /app .
# $APP_UID is the image's unprivileged user. It may write only where objects and dead letters go, so the root can be read-only.
RUN mkdir data dead-letters && chown $APP_UID data dead-letters
USER $APP_UID
# Inside a container loopback would be unreachable; publish the port on the host's loopback. Requests may name any address and any name
# without a dot as their Host; where a proxy passes a public name on, add -e Hosting__AllowedHosts=worker.example.com.
ENV Hosting__Url=http://0.0.0.0:8080 DOTNET_EnableDiagnostics_IPC=1 DOTNET_gcServer=0
EXPOSE 8080
VOLUME ["/app/data", "/app/dead-letters"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["dotnet", "Worker.dll"]
