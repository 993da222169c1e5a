using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Objects;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Elasticsearch;

/// <summary>A cluster of which one node is down, the proxy, and a client certificate.</summary>
public sealed class ElasticsearchNodeTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Write_OneOfTwoNodesIsDown_StoresEveryDocumentAndSaysWhichIsDown()
    {
        using RecordingLog log = new();
        Uri dead = Unused();
        await using SinkRun run = await SinkRun.StartAsync(
            change: options => new ElasticsearchSinkOptions
            { Endpoint = [dead.AbsoluteUri, .. options.Endpoint], Index = SinkRun.Index, MaxBatchDocuments = 10 }, loggers: log);

        await run.Sink.CheckAsync(Token);
        DocumentsResult result = await run.WriteAsync(50);

        run.Sink.Problem.ShouldBeNull();
        result.ShouldBe(new DocumentsResult(SinkStatus.Stored, 50, 0, 0));
        await run.ShouldHoldAsync(50);
        log.Entries.Count(entry => entry.Text.StartsWith($"The Elasticsearch node {dead} does not answer (", StringComparison.Ordinal)).ShouldBe(1);
    }

    [Fact]
    public async Task Check_EveryNodeIsDown_IsAProblemThatNamesThem()
    {
        using RecordingLog log = new();
        string[] dead = [Unused().AbsoluteUri, Unused().AbsoluteUri];
        await using ElasticsearchSink sink = ElasticsearchSinks.Open(new ElasticsearchSinkOptions { Endpoint = dead, Index = SinkRun.Index }, log);

        await sink.CheckAsync(Token);

        sink.Problem.ShouldNotBeNull();
        log.Entries.ShouldContain(entry => entry.Text.Contains($"Elasticsearch at {dead[0]}, {dead[1]} is unreachable"));
    }

    [Theory]
    [InlineData(true, "https://search.example")]
    [InlineData(true, "https://search.example", "http://127.0.0.1:9200")]
    [InlineData(false, "http://127.0.0.1:9200")]
    public void CreateHandler_ProxyOfTheEnvironment_IsUsedExceptForThisMachine(bool isUsed, params string[] nodes)
    {
        using SocketsHttpHandler handler = BulkRequests.CreateHandler(new ElasticsearchSinkOptions { Endpoint = nodes, Index = SinkRun.Index });

        handler.UseProxy.ShouldBe(isUsed);
        handler.Proxy.ShouldBeOfType<EnvironmentProxy>();
    }

    [Fact]
    public void CreateHandler_ClientCertificate_IsShown()
    {
        using RSA key = RSA.Create(2048);
        using X509Certificate2 made = new CertificateRequest("CN=worker", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1).CreateSelfSigned(
            DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        string file = Path.Combine(Path.GetTempPath(), $"{Guid.NewGuid():n}.pem");
        File.WriteAllText(file, $"{made.ExportCertificatePem()}\n{key.ExportPkcs8PrivateKeyPem()}\n");
        try
        {
            using PresentedCertificate certificate =
                new("Sinks:Elasticsearch:ClientCertificate", "logs", file, keyFile: null, password: null, TimeProvider.System, NullLogger.Instance);
            using SocketsHttpHandler handler =
                BulkRequests.CreateHandler(new ElasticsearchSinkOptions { Endpoint = ["https://search.example"], Index = SinkRun.Index }, certificate);

            X509Certificate2 shown =
                handler.SslOptions.LocalCertificateSelectionCallback!(this, "search.example", [], null, []).ShouldBeOfType<X509Certificate2>();
            (shown.Thumbprint, shown.HasPrivateKey).ShouldBe((made.Thumbprint, true));
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static Uri Unused()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        return new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/");
    }
}
