using System.IO.Compression;
using System.Net;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Integration.Tests.Aws.Credentials;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.AzureBlobs;

/// <summary>Whole workers that store in Azurite. They log at Trace, and never show the account's key.</summary>
public sealed class BlobWorkerTests(AzuriteServer azurite)
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Run_NewDuplicateAndOtherBytes_AreStoredCountedAndDeadLettered()
    {
        AzuriteProcess server = await azurite.RequireAsync();
        BlobContainerClient container = await server.CreateContainerAsync();
        ArchiveMessage message = ArchiveMessage.Create("one");
        await using RunningWorker worker = await RunningWorker.StartAsync(Arguments(server.ConnectionString, container.Name));

        (await worker.PostAsync(message.Body, cancellationToken: Token)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync(message.Body, cancellationToken: Token)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync(ArchiveMessage.Create("one", payloadLength: 41).Body, cancellationToken: Token)).Status.ShouldBe(
            HttpStatusCode.UnprocessableEntity);

        (await container.GetBlobClient(message.Key).DownloadContentAsync(Token)).Value.Content.ToArray().ShouldBe(message.Body);
        (await worker.HealthAsync()).Route["duplicates"]!.GetValue<long>().ShouldBe(1);
        (await worker.StopAsync()).ShouldBe(0);
        DeadLetterFolder.Read(Path.Combine(worker.Process.WorkingDirectory, "dead-letters")).ShouldHaveSingleItem().Record["reason"]!
            .GetValue<string>()
            .ShouldBe("key-collision");
        ShouldNotShowTheKey(worker.Process.Output.Describe(int.MaxValue));
    }

    [Fact]
    public async Task Run_Bundles_AreBlobsOfGzippedLines()
    {
        AzuriteProcess server = await azurite.RequireAsync();
        BlobContainerClient container = await server.CreateContainerAsync();
        ArchiveMessage[] messages = ArchiveMessage.CreateMany("bundled", 20);
        await using RunningWorker worker = await RunningWorker.StartAsync([.. Arguments(server.ConnectionString, container.Name), "--Bundles:Enabled=true"]);

        (await Task.WhenAll(messages.Select(message => worker.PostAsync(message.Body, cancellationToken: Token)))).ShouldAllBe(
            answer => answer.Status == HttpStatusCode.OK);

        List<string> lines = [];
        await foreach (BlobItem blob in container.GetBlobsAsync(new GetBlobsOptions(), Token))
        {
            blob.Name.ShouldEndWith(".ndjson.gz");
            blob.Properties.ContentType.ShouldBe("application/gzip");
            await using GZipStream stream = new(await container.GetBlobClient(blob.Name).OpenReadAsync(cancellationToken: Token), CompressionMode.Decompress);
            using StreamReader reader = new(stream);
            lines.AddRange((await reader.ReadToEndAsync(Token)).Split('\n', StringSplitOptions.RemoveEmptyEntries));
        }

        lines.ShouldBe(messages.Select(message => message.Text.Trim()), ignoreOrder: true);
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Run_StoreHangs_IsNotReadyAndStoresWhenItAnswersAgain()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs POSIX signals");
        await using AzuriteProcess server = await AzuriteProcess.RequireOwnAsync();
        BlobContainerClient container = await server.CreateContainerAsync();
        ArchiveMessage message = ArchiveMessage.Create("late");
        await using RunningWorker worker = await RunningWorker.StartAsync(
            [.. Arguments(server.ConnectionString, container.Name), "--Sinks:AzureBlobs:ConnectTimeout=200ms", "--Sinks:AzureBlobs:AttemptTimeout=200ms",
                "--Sinks:AzureBlobs:TotalTimeout=500ms", "--Recoverability:BreakerOpen=500ms"]);
        await server.Process.SignalAsync(ProcessSignal.Stop);

        await Eventually.BecomesTrueAsync(
            async () => (await worker.PostAsync(message.Body, cancellationToken: Token)).Status == HttpStatusCode.ServiceUnavailable
                && (await worker.HealthAsync()).Status == HttpStatusCode.ServiceUnavailable, "the worker is not ready");
        await server.Process.SignalAsync(ProcessSignal.Continue);
        await Eventually.BecomesTrueAsync(
            async () => (await worker.PostAsync(message.Body, cancellationToken: Token)).Status == HttpStatusCode.OK, "the message is stored");

        (await container.GetBlobClient(message.Key).DownloadContentAsync(Token)).Value.Content.ToArray().ShouldBe(message.Body);
        (await worker.StopAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Run_TheProxyRefuses_DoesNotShowItsPassword()
    {
        await using CredentialServer proxy = await CredentialServer.StartAsync();
        await using RunningWorker worker = await RunningWorker.StartAsync(
            Arguments("DefaultEndpointsProtocol=https;AccountName=orders;AccountKey=Zm9v;EndpointSuffix=core.windows.net", "archive"),
            [new("HTTPS_PROXY", proxy.Url.Replace("//", "//user:canary@", StringComparison.Ordinal))]);

        (await worker.PostAsync(ArchiveMessage.Create("one").Body, cancellationToken: Token)).Status.ShouldBe(HttpStatusCode.ServiceUnavailable);

        (await worker.StopAsync()).ShouldBe(0);
        string output = worker.Process.Output.Describe(int.MaxValue);
        output.ShouldContain("ConnectionError: The proxy tunnel request");
        output.ShouldNotContain("canary");
    }

    private static string[] Arguments(string connectionString, string container) =>
    [
        "--Routes:archive:Source=Http", "--Routes:archive:Sink=AzureBlobs", $"--Sinks:AzureBlobs:Container={container}",
        $"--Sinks:AzureBlobs:ConnectionString={connectionString}",
        "--Logging:LogLevel:Default=Trace", "--Logging:LogLevel:Microsoft=Trace",
    ];

    // The published key of every emulator.
    private static void ShouldNotShowTheKey(string output) => output.ShouldNotContain("Eby8vdM02xNOcq");
}
