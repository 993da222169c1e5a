using System.Text;
using Azure.Storage.Blobs;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;
using Azure.Storage.Sas;
using Integration.Tests.Servers;
using Quayside.Messaging.AzureBlobs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Integration.Tests.AzureBlobs;

/// <summary>What Azurite keeps, and what it refuses: properties, leases, tiers, types of blobs, keys and signatures.</summary>
public sealed class BlobSinkTests(AzuriteServer azurite) : IAsyncLifetime
{
    private static readonly byte[] Body = "{\"a\":1}"u8.ToArray();

    private readonly RecordingLog _log = new();
    private readonly ApiCalls _calls = new();
    private AzuriteProcess _server = null!;
    private BlobContainerClient _container = null!;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync()
    {
        _server = await azurite.RequireAsync();
        _container = await _server.CreateContainerAsync();
    }

    public async ValueTask DisposeAsync() => await _container.DeleteAsync(cancellationToken: CancellationToken.None);

    [Fact]
    public async Task Store_MetadataTagsTierAndHeaders_AreReturnedAsTheyWereSet()
    {
        await using BlobSink sink = Open(options => new BlobSinkOptions
        {
            ConnectionString = options.ConnectionString,
            Container = options.Container,
            AccessTier = BlobTier.Cool,
            ContentType = "application/x-ndjson",
            ContentEncoding = "identity",
            Metadata = new Dictionary<string, string>(StringComparer.Ordinal) { ["Team"] = "billing, \"EU\"", ["city"] = "Zürich" },
            Tags = new Dictionary<string, string>(StringComparer.Ordinal) { ["class"] = "invoice/2026" },
        });

        (await sink.StoreAsync("plain"u8.ToArray(), Body, Token)).ShouldBe(SinkResult.Stored);
        (await sink.StoreAsync(
            "own"u8.ToArray(), Body, new ObjectProperties { Metadata = [new("tenant", "ä")], Tags = [new("customer", "a;b")] }, Token)).ShouldBe(
                SinkResult.Stored);

        BlobProperties plain = (await _container.GetBlobClient("plain").GetPropertiesAsync(cancellationToken: Token)).Value;
        (plain.ContentType, plain.ContentEncoding, plain.AccessTier).ShouldBe(("application/x-ndjson", "identity", "Cool"));
        plain.Metadata.ShouldBe(new Dictionary<string, string> { ["Team"] = "billing, \"EU\"", ["city"] = "Z%C3%BCrich" }, ignoreOrder: true);
        (await TagsAsync("plain")).ShouldBe(["class=invoice/2026"]);
        (await _container.GetBlobClient("own").GetPropertiesAsync(cancellationToken: Token)).Value.Metadata["tenant"].ShouldBe("%C3%A4");
        (await TagsAsync("own")).ShouldBe(["class=invoice/2026", "customer=a_b"], ignoreOrder: true);
        _log.Entries.ShouldHaveSingleItem().Text.ShouldContain("the tag customer of a blob was changed");
    }

    [Fact]
    public async Task Store_BlobUnderALease_IsComparedAndNeverChanged()
    {
        await _container.GetBlobClient("leased").UploadAsync(new BinaryData(Body), Token);
        await _container.GetBlobClient("leased").GetBlobLeaseClient().AcquireAsync(TimeSpan.FromSeconds(-1), cancellationToken: Token);
        await using BlobSink sink = Open();

        (await StoreAsync(sink, "leased", Body)).ShouldBe(SinkResult.AlreadyStored);
        (await StoreAsync(sink, "leased", [1])).Status.ShouldBe(SinkStatus.Collision);

        (await _container.GetBlobClient("leased").GetBlobLeaseClient().BreakAsync(TimeSpan.Zero, cancellationToken: Token)).GetRawResponse().Status.ShouldBe(
            202);
        (await _container.GetBlobClient("leased").DownloadContentAsync(Token)).Value.Content.ToArray().ShouldBe(Body);
    }

    [Fact]
    public async Task Store_KeyOfAnAppendBlob_IsComparedAndNeverChanged()
    {
        AppendBlobClient append = _container.GetAppendBlobClient("log");
        await append.CreateAsync(cancellationToken: Token);
        await append.AppendBlockAsync(new MemoryStream(Body), cancellationToken: Token);
        await using BlobSink sink = Open();

        (await StoreAsync(sink, "log", Body)).ShouldBe(SinkResult.AlreadyStored);
        (await StoreAsync(sink, "log", [1])).Status.ShouldBe(SinkStatus.Collision);
    }

    [Fact]
    public async Task Store_ArchivedBlob_IsComparedByLengthAndMd5()
    {
        await using BlobSink sink =
            Open(options => new BlobSinkOptions { ConnectionString = options.ConnectionString, Container = options.Container, AccessTier = BlobTier.Archive });
        (await StoreAsync(sink, "archived", Body)).ShouldBe(SinkResult.Stored);

        (await StoreAsync(sink, "archived", Body)).ShouldBe(SinkResult.AlreadyStored);
        (await StoreAsync(sink, "archived", "{\"a\":2}"u8.ToArray())).Status.ShouldBe(SinkStatus.Collision);
        (await StoreAsync(sink, "archived", [1])).Status.ShouldBe(SinkStatus.Collision);
    }

    [Fact]
    public async Task Store_Calls_AreCountedAsTheyAreBilled()
    {
        await using BlobSink sink = Open();
        await sink.CheckAsync(Token);
        await StoreAsync(sink, "k", Body);
        await StoreAsync(sink, "k", Body);

        (_calls.Sent(BlobCalls.List), _calls.Sent(BlobCalls.Put), _calls.Sent(BlobCalls.Get), _calls.Sent(BlobCalls.GetProperties)).ShouldBe((1, 2, 1, 0));
    }

    [Fact]
    public async Task Store_NaughtyKeys_AreKeptUnderTheirNamesOrRejected()
    {
        string[] keys =
        [
            "/lead", "trail/", "a//b", "//", "a/./b", "a/../b", "../other/x", "..", ".", "a.", "back\\slash", "..\\x", "%2e%2e/x", "%2E%2E%2Fx", "a%2Fb", "%",
            "%zz", "?x=1", "#frag", "a?b#c", "a b ", " lead",
            "a+b", "a&b=c", "ä/é/e\u0301", "\u202Etxt.exe", "🙂", "CON", "$root/x", "$web", "x\ty", "comp=list", "*", "a|b", "<script>", "'\"`", "{a}", "~",
            ":", "a:b@c",
        ];
        await using BlobSink sink = Open();
        foreach (string key in keys)
        {
            SinkResult result = await StoreAsync(sink, key, Encoding.UTF8.GetBytes(key));
            if (!IsKept(key))
            {
                result.Status.ShouldBe(SinkStatus.Rejected, key);
                result.Detail!.ShouldContain("change the key's template");
                continue;
            }

            result.ShouldBe(SinkResult.Stored, key);
            (await _container.GetBlobClient(key).DownloadContentAsync(Token)).Value.Content.ToString().ShouldBe(key);
            (await StoreAsync(sink, key, Encoding.UTF8.GetBytes(key))).ShouldBe(SinkResult.AlreadyStored, key);
        }

        List<string> stored = [];
        await foreach (BlobItem blob in _container.GetBlobsAsync(new GetBlobsOptions(), Token))
        {
            stored.Add(blob.Name);
        }

        stored.ShouldBe(keys.Where(IsKept), ignoreOrder: true);

        static bool IsKept(string key) => !key.Contains('\\', StringComparison.Ordinal) && !key.Split('/').Any(level => level.EndsWith('.'));
    }

    [Fact]
    public async Task Check_ContainerExists_LogsNothing()
    {
        await using BlobSink sink = Open();

        await sink.CheckAsync(Token);

        sink.Problem.ShouldBeNull();
        _log.Entries.ShouldBeEmpty();
    }

    [Fact]
    public async Task CheckAndStore_NoSuchContainer_SayWhatToDo()
    {
        await using BlobSink sink = Open(options => new BlobSinkOptions { ConnectionString = options.ConnectionString, Container = "not-there" });

        StartupException exception = await Should.ThrowAsync<StartupException>(sink.CheckAsync(Token));
        SinkResult result = await StoreAsync(sink, "k", Body);

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain("ContainerNotFound (404");
        exception.Message.ShouldEndWith("The container 'not-there' does not exist: create it or set Sinks:AzureBlobs:Container.");
        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldEndWith("create it or set Sinks:AzureBlobs:Container.");
    }

    [Fact]
    public async Task CheckAndStore_WrongKey_AreRefused()
    {
        string wrong = Convert.ToBase64String("canary-account-key"u8);
        await using BlobSink sink = Open(options => new BlobSinkOptions
        {
            ConnectionString = string.Join(
                ';', options.ConnectionString!
                    .Split(';')
                    .Select(part => part.StartsWith("AccountKey=", StringComparison.Ordinal) ? $"AccountKey={wrong}" : part)),
            Container = options.Container,
        });

        StartupException exception = await Should.ThrowAsync<StartupException>(sink.CheckAsync(Token));
        SinkResult result = await StoreAsync(sink, "k", Body);

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain("Check the account's key");
        exception.ToString().ShouldNotContain(wrong);
        result.Status.ShouldBe(SinkStatus.Refused);
    }

    [Fact]
    public async Task CheckAndStore_ExpiredSignature_SayWhenItExpired()
    {
        await using BlobSink sink = OpenWithSignature(BlobContainerSasPermissions.All, new DateTimeOffset(2026, 1, 31, 10, 0, 0, TimeSpan.Zero));

        StartupException exception = await Should.ThrowAsync<StartupException>(sink.CheckAsync(Token));
        SinkResult result = await StoreAsync(sink, "k", Body);

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldEndWith("The shared access signature expired at 2026-01-31 10:00:00Z: set a new one in Sinks:AzureBlobs:ConnectionString.");
        exception.ToString().ShouldNotContain("sig=");
        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("expired at 2026-01-31 10:00:00Z");
    }

    [Fact]
    public async Task Store_SignatureMayOnlyWrite_StoresAndCannotCompare()
    {
        await using BlobSink sink =
            OpenWithSignature(BlobContainerSasPermissions.Create | BlobContainerSasPermissions.Write, DateTimeOffset.UtcNow.AddHours(1));

        await sink.CheckAsync(Token);
        _log.Entries.ShouldHaveSingleItem().Text.ShouldContain("Grant the role Storage Blob Data Contributor (signature: List)");
        (await StoreAsync(sink, "k", Body)).ShouldBe(SinkResult.Stored);
        SinkResult again = await StoreAsync(sink, "k", Body);

        again.Status.ShouldBe(SinkStatus.Refused);
        again.Detail!.ShouldContain("(signature: Read), to compare duplicates");
    }

    [Fact]
    public async Task Store_SignatureMayCreateAndRead_FindsDuplicates()
    {
        await using BlobSink sink = OpenWithSignature(BlobContainerSasPermissions.Create | BlobContainerSasPermissions.Read, DateTimeOffset.UtcNow.AddHours(1));

        (await StoreAsync(sink, "k", Body)).ShouldBe(SinkResult.Stored);
        (await StoreAsync(sink, "k", Body)).ShouldBe(SinkResult.AlreadyStored);
        (await StoreAsync(sink, "k", [.. Body, 1])).Status.ShouldBe(SinkStatus.Collision);
    }

    private static ValueTask<SinkResult> StoreAsync(BlobSink sink, string key, byte[] body) => sink.StoreAsync(Encoding.UTF8.GetBytes(key), body, Token);

    private async Task<string[]> TagsAsync(string key) =>
        [.. (await _container.GetBlobClient(key).GetTagsAsync(cancellationToken: Token)).Value.Tags.Select(tag => $"{tag.Key}={tag.Value}")];

    private BlobSink OpenWithSignature(BlobContainerSasPermissions permissions, DateTimeOffset expiry)
    {
        string signature = _container.GenerateSasUri(new BlobSasBuilder(permissions, expiry) { BlobContainerName = _container.Name, Resource = "c" }).Query;
        Uri account = _container.GetParentBlobServiceClient().Uri;
        return Open(
            options => new BlobSinkOptions
            { ConnectionString = $"BlobEndpoint={account};SharedAccessSignature={signature[1..]}", Container = options.Container });
    }

    private BlobSink Open(Func<BlobSinkOptions, BlobSinkOptions>? change = null)
    {
        BlobSinkOptions options = new() { ConnectionString = _server.ConnectionString, Container = _container.Name };
        return new BlobSink(change?.Invoke(options) ?? options, new SinkServices { Services = null!, Loggers = _log, Route = "orders", Calls = _calls });
    }
}
