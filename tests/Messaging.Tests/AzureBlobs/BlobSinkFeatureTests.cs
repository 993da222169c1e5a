using Microsoft.Extensions.Configuration;
using Quayside.Messaging.AzureBlobs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.AzureBlobs;

public sealed class BlobSinkFeatureTests
{
    private const string Key = "AccountName=orders;AccountKey=Y2FuYXJ5LWtleQ==";

    [Theory]
    [InlineData("Endpoint", "https://orders.blob.core.windows.net")]
    [InlineData("ConnectionString", $"DefaultEndpointsProtocol=https;{Key};EndpointSuffix=core.windows.net")]
    [InlineData(
        "ConnectionString", "BlobEndpoint=https://orders.blob.core.windows.net;SharedAccessSignature=sv=2026-02-06&se=2026-12-31T00%3A00%3A00Z&sig=canary")]
    [InlineData("ConnectionString", "UseDevelopmentStorage=true")]
    [InlineData("ConnectionString", $"{Key};BlobEndpoint=http://127.0.0.1:10000/orders")]
    [InlineData("ConnectionString", $"{Key};BlobEndpoint=http://127.0.0.1:10000/orders/archive")]
    [InlineData("ConnectionString", "BlobEndpoint=https://orders.blob.core.windows.net/archive;SharedAccessSignature=sv=2026-02-06&sig=canary")]
    public void Configure_AccountAndContainer_AreEnough(string key, string value) => Read(("Container", "archive"), (key, value)).Errors.ShouldBeEmpty();

    [Theory]
    [InlineData("Container", null, "must be set")]
    [InlineData("Container", "Archive", "must be a container's name")]
    [InlineData("Container", "a--b", "must be a container's name")]
    [InlineData("Container", "../other", "must be a container's name")]
    [InlineData("Endpoint", null, "must be set, or ConnectionString")]
    [InlineData("Endpoint", "http://127.0.0.1:10000", "must be an https address")]
    [InlineData("Endpoint", "https://orders.blob.core.windows.net/archive", "of scheme, host and port only")]
    [InlineData("ConnectionString", $"DefaultEndpointsProtocol=https;{Key}", "must not be set together with ConnectionString")]
    [InlineData("Endpoint", "https://orders.blob.core.windows.net/archive?sv=2026-02-06&sig=canary", "a shared access signature belongs in ConnectionString")]
    [InlineData("Endpoint", "https://orders.blob.core.windows.net/?sv=2026-02-06&sig=canary", "a shared access signature belongs in ConnectionString")]
    [InlineData("AccessTier", "Frozen", "must be one of Hot, Cool, Cold, Archive")]
    [InlineData("AttemptTimeout", "30s", "must not be above TotalTimeout")]
    [InlineData("ConnectTimeout", "10s", "must not be above AttemptTimeout")]
    [InlineData("Metadata:my-team", "a", "must be a C# identifier")]
    [InlineData("Metadata:1a", "a", "must be a C# identifier")]
    [InlineData("Tags:team;", "a", "must have 1 to 128 letters")]
    [InlineData("Tags:team", "ä", "must have at most 256 letters")]
    public void Configure_WrongValue_IsOneClearProblem(string key, string? value, string problem)
    {
        ConfigurationError error =
            Read(("Container", "archive"), ("Endpoint", "https://orders.blob.core.windows.net"), (key, value)).Errors.ShouldHaveSingleItem();

        error.Problem.ShouldContain(problem);
        error.ToString().ShouldNotContain("canary");
    }

    [Theory]
    [InlineData($"DefaultEndpointsProtocol=https;{Key};EndpointSuffix=core.windows.net")]
    [InlineData("BlobEndpoint=https://orders.blob.core.windows.net;SharedAccessSignature=sv=1&sig=Y2FuYXJ5")]
    public void Configure_ConnectionStringAsTheEndpoint_NamesItsSettingAndShowsNoSecret(string value)
    {
        string error = Read(("Container", "archive"), ("Endpoint", value)).Errors.ShouldHaveSingleItem().ToString();

        error.ShouldContain("A connection string belongs in ConnectionString");
        error.ShouldNotContain("Y2FuYXJ5");
    }

    [Theory]
    [InlineData("canary", "must contain AccountName and AccountKey, or SharedAccessSignature")]
    [InlineData($"{Key};AccountName=canary", "must be a storage account's")]
    [InlineData("BlobEndpoint=https://canary.blob.core.windows.net", "must contain AccountName and AccountKey, or SharedAccessSignature")]
    [InlineData("AccountName=orders;AccountKey=canary!", "must be a storage account's")]
    [InlineData("AccountKey=Y2FuYXJ5", "must be a storage account's")]
    [InlineData($"{Key};BlobEndpoint=http://canary.example", "must use https")]
    [InlineData($"{Key};BlobEndpoint=https://orders.blob.core.windows.net/canary", "or at the container that Container names")]
    [InlineData($"{Key};BlobEndpoint=https://orders.blob.core.windows.net/archive/canary", "must have a BlobEndpoint that ends at the account")]
    [InlineData($"{Key};BlobEndpoint=http://127.0.0.1:10000/orders/canary", "or at the container that Container names")]
    [InlineData("BlobEndpoint=https://orders.blob.core.windows.net/canary;SharedAccessSignature=sv=1&sig=canary", "or at the container that Container names")]
    public void Configure_WrongConnectionString_IsOneProblemThatShowsNoneOfIt(string value, string problem)
    {
        ConfigurationError error = Read(("Container", "archive"), ("ConnectionString", value)).Errors.ShouldHaveSingleItem();

        error.Problem.ShouldContain(problem);
        error.ToString().ShouldNotContain("canary");
        error.ToString().ShouldNotContain("Y2FuYXJ5");
    }

    [Fact]
    public void Configure_PlainHttpAllowed_IsAccepted() =>
        Read(("Container", "archive"), ("ConnectionString", $"{Key};BlobEndpoint=http://store.example"), ("AllowPlainHttp", "true")).Errors.ShouldBeEmpty();

    [Fact]
    public void Configure_MoreTagsOrMetadataThanAzureTakes_IsAProblem()
    {
        (string, string?)[] account = [("Container", "archive"), ("ConnectionString", "UseDevelopmentStorage=true")];
        (string, string?)[] tags = [.. Enumerable.Range(0, 11).Select(i => ($"Tags:k{i}", (string?)"v"))];

        Read([.. account, .. tags[..10]]).Errors.ShouldBeEmpty();
        Read([.. account, .. tags]).Errors.ShouldHaveSingleItem().Problem.ShouldBe("must have at most 10 tags; these are 11.");
        Read([.. account, ("Metadata:name", new string('v', 8_188))]).Errors.ShouldBeEmpty();
        Read([.. account, ("Metadata:name", new string('v', 8_189))]).Errors.ShouldHaveSingleItem().Problem.ShouldBe(
            "must have at most 8,192 bytes of names and values; these have 8,193.");
    }

    [Fact]
    public void SignatureExpiry_OfEachConnectionString_IsItsTimeOrNull()
    {
        Expiry("BlobEndpoint=https://a.example;SharedAccessSignature=sv=1&se=2026-01-31T10%3A00%3A00Z&sig=x%3D").ShouldBe(
            new DateTimeOffset(2026, 1, 31, 10, 0, 0, TimeSpan.Zero));
        Expiry("SharedAccessSignature=?se=2026-01-31&sig=x").ShouldBe(new DateTimeOffset(2026, 1, 31, 0, 0, 0, TimeSpan.Zero));
        Expiry("SharedAccessSignature=si=policy&sig=x").ShouldBeNull();
        Expiry(Key).ShouldBeNull();
        Expiry(null).ShouldBeNull();

        static DateTimeOffset? Expiry(string? text) => new BlobSinkOptions { ConnectionString = text }.SignatureExpiry;
    }

    [Fact]
    public void FindProblems_PropertiesOfAHandler_AreCheckedWithTheConfigured()
    {
        BlobSinkOptions options = new()
        {
            Metadata = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase) { ["team"] = "a" },
            Tags = Enumerable.Range(0, 9).ToDictionary(i => $"t{i}", _ => "v", StringComparer.OrdinalIgnoreCase)
        };

        Problems((ObjectPropertyKind.Metadata, "city", null), (ObjectPropertyKind.Tag, "team", null)).ShouldBeEmpty();
        Problems((ObjectPropertyKind.Metadata, "Team", null))
            .ShouldHaveSingleItem()
            .ShouldStartWith("S:Team: is set for every blob by Sinks:AzureBlobs:Metadata:Team");
        Problems((ObjectPropertyKind.Metadata, "my-city", null)).ShouldHaveSingleItem().ShouldContain("must be a C# identifier");
        Problems((ObjectPropertyKind.Tag, "a", "x;y")).ShouldHaveSingleItem().ShouldContain("must have at most 256 letters");
        Problems((ObjectPropertyKind.Tag, "a", null), (ObjectPropertyKind.Tag, "b", null))
            .ShouldHaveSingleItem()
            .ShouldStartWith("S:b: must be one of at most 10 tags of a blob, those of Sinks:AzureBlobs included.");
        Problems((ObjectPropertyKind.Metadata, "a", new string('v', 8_186))).ShouldBeEmpty();
        Problems((ObjectPropertyKind.Metadata, "a", new string('v', 8_187)))
            .ShouldHaveSingleItem()
            .ShouldContain("must fit into the 8,192 bytes of metadata of a blob");

        string[] Problems(params (ObjectPropertyKind Kind, string Name, string? Value)[] properties) =>
            [.. BlobObjectProperties
                .FindProblems(
                    options, [.. properties.Select(property => new ObjectPropertyPlan($"S:{property.Name}", property.Kind, property.Name, property.Value))])
                .Select(error => (error with { Value = null }).ToString())];
    }

    [Fact]
    public void Fit_WhatBlobStorageCannotCarry_IsChangedOrLeftOutAndLogged()
    {
        RecordingLog log = new();
        BlobSinkOptions options =
            new() { Metadata = new Dictionary<string, string> { ["Team"] = "a" }, Tags = new Dictionary<string, string> { ["team"] = "b" } };

        ObjectProperties fitted = new BlobObjectProperties(options, "orders", log, new ManualTimeProvider()).Fit(new ObjectProperties
        {
            Metadata = [new("city", "Zürich"), new("TEAM", "x"), new("order-id", "x"), new("big", new string('v', 8_190)), new("blank", " x")],
            Tags = [
                new("Team", "größe 1/2"), new("a;", "x"), new("long", new string('z', 257)),
                .. Enumerable.Range(0, 10).Select(i => new KeyValuePair<string, string>($"t{i}", "v"))],
        });

        fitted.Metadata.ShouldBe([new("Team", "a"), new("city", "Z%C3%BCrich"), new("blank", "%20x")]);
        fitted.Tags.ShouldBe(
            [new("team", "b"), new("Team", "gr__e 1/2"), new("long", new string('z', 256)),
                .. Enumerable.Range(0, 7).Select(i => new KeyValuePair<string, string>($"t{i}", "v"))]);
        log.Entries.Select(entry => entry.Text).ShouldBe(
        [
            "Route orders: the metadata TEAM of a blob was left out, because Blob Storage does not allow the name or the blob has it already; its bytes are "
                + "not changed (metric worker.sink.property_losses)",
            "Route orders: the tag Team of a blob was changed: characters that Blob Storage does not allow became _; "
                + "its bytes are not changed (metric worker.sink.property_losses)",
        ]);
    }

    private static SettingsReader Read(params (string Key, string? Value)[] values)
    {
        Dictionary<string, string?> given = new(StringComparer.OrdinalIgnoreCase);
        foreach ((string key, string? value) in values)
        {
            given[$"Sinks:AzureBlobs:{key}"] = value;
        }

        SettingsReader settings = new(new ConfigurationBuilder().AddInMemoryCollection(given).Build());
        new BlobSinkFeature().Configure(settings, "archive");
        return settings;
    }
}
