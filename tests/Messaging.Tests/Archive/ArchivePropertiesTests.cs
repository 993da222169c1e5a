using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Settlements;
using Shared.Hosting;

namespace Messaging.Tests.Archive;

/// <summary>Metadata and tags that the archive takes from its messages.</summary>
public sealed class ArchivePropertiesTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_PlaceholdersAndFixedText_AreTheMessagesValuesUnchanged()
    {
        ObjectProperties properties = (await StoreAsync(
            """{"MessageId":"A/1","tenant":"Acme & Z\u00fcrich","order":{"customer":{"id":4711},"lines":[{"sku":"s 1"}]},"paid":true,"at":"2026-11-21T10:00:00Z"}""",
            ("Template", "{tenant}/{at:yyyy}/{MessageId}"),
            ("Metadata:origin", "web shop"),
            ("Metadata:tenant", "{tenant}"),
            ("Metadata:customer", "{order.customer.id}"),
            ("Metadata:at", "{at}"),
            ("Metadata:id", "{MessageId}"),
            ("Tags:sku", "{order.lines[0].sku}"),
            ("Tags:paid", "{paid}"))).ShouldNotBeNull();

        properties.Metadata.ShouldBe(
            [new("origin", "web shop"), new("tenant", "Acme & Zürich"), new("customer", "4711"), new("at", "2026-11-21T10:00:00Z"), new("id", "A/1")],
            ignoreOrder: true);
        properties.Tags.ShouldBe([new("sku", "s 1"), new("paid", "true")], ignoreOrder: true);
    }

    [Theory]
    [InlineData("""{"MessageId":"1"}""")]
    [InlineData("""{"MessageId":"1","a":null,"b":{"c":null}}""")]
    [InlineData("""{"MessageId":"1","a":"","b":{"c":""}}""")]
    [InlineData("""{"MessageId":"1","a":{"x":1},"b":{"c":[1,"]"]}}""")]
    [InlineData("""{"MessageId":"1","a":[],"b":"text"}""")]
    [InlineData("""{"b":[{"c":1}],"a":{"a":"x"},"MessageId":"1"}""")]
    public async Task Store_MessageWithoutTheValues_IsStoredWithoutThem(string body)
    {
        (await StoreAsync(body, ("Metadata:a", "{a}"), ("Tags:c", "{b.c}"))).ShouldBeNull();
        (await StoreAsync(body, ("Metadata:a", "{a}"), ("Tags:c", "{b.c}"), ("BodyValidation", "HeaderOnly"))).ShouldBeNull();
    }

    [Fact]
    public async Task Store_IdOfTheSource_IsTheValueOfItsPlaceholder()
    {
        ObjectProperties properties = (await StoreAsync("{}", ("MissingId", "UseSourceId"), ("Metadata:id", "{MessageId}"))).ShouldNotBeNull();

        properties.Metadata.ShouldHaveSingleItem().Value.ShouldNotBeNullOrEmpty();
    }

    [Fact]
    public async Task Store_WhatTheSourceKnows_IsTheValueOfItsPlaceholder()
    {
        await using TestWorker worker = await StartAsync([("Metadata:tenant", "{@attribute.tenant}"), ("Metadata:group", "{@group}"), ("Tags:id", "{@id}")]);

        (await worker.SendAsync("""{"MessageId":"1"}""", id: "s-1", attributes: [KeyValuePair.Create("tenant", "Zürich & Co")])).ShouldBe(Settlement.Complete);

        ObjectProperties properties = worker.Stored.Properties.ShouldHaveSingleItem().Value;
        properties.Metadata.ShouldBe([new("tenant", "Zürich & Co")]);
        properties.Tags.ShouldBe([new("id", "s-1")]);
    }

    [Fact]
    public async Task Store_ValueThatTheKeyReadsToo_KeepsTheKeysRules()
    {
        await using TestWorker worker = await StartAsync([("Template", "{n}/{MessageId}"), ("Tags:n", "{n}")]);

        Settlement settlement = await worker.SendAsync("""{"MessageId":"1","n":5}""");

        settlement.Reason.ShouldBe("wrong-type", "The key takes strings.");
        worker.Stored.Objects.ShouldBeEmpty();
    }

    [Fact]
    public async Task Store_RouteWithItsOwnTags_AddsAndReplaces()
    {
        await using TestWorker worker = await StartAsync(
            [("Tags:team", "all"), ("Tags:class", "a")], KeyValuePair.Create<string, string?>("Routes:archive:Handlers:Archive:Tags:team", "{team}"));

        await worker.SendAsync("""{"MessageId":"1","team":"orders"}""");

        worker.Stored.Properties.ShouldHaveSingleItem().Value.Tags.ShouldBe([new("team", "orders"), new("class", "a")], ignoreOrder: true);
    }

    [Theory]
    [InlineData("{a}-{b}", "character 3: braces within text")]
    [InlineData("x{a}", "character 1: braces within text. Allowed: fixed text without braces, or one placeholder alone")]
    [InlineData("{a", "character 1: braces within text")]
    [InlineData("{a:keep}", "character 3: a rule. Allowed: fixed text without braces, or one placeholder alone, without a rule")]
    [InlineData("{}", "empty name")]
    [InlineData("{a..b}", "where a name belongs")]
    [InlineData("{Product.x}", "Product")]
    public void Plan_TextThatIsNeitherFixedNorOnePlaceholder_IsAProblemOfItsSetting(string text, string problem)
    {
        IReadOnlyList<ConfigurationError> errors =
            WorkerHost.Plan(Configuration(("Routes:archive:Sink", "Memory"), ("Handlers:Archive:Tags:tag", text))).Errors;

        ConfigurationError error = errors.ShouldHaveSingleItem();
        (error.Key, error.Value).ShouldBe(("Handlers:Archive:Tags:tag", text));
        error.Problem.ShouldContain(problem);
    }

    [Fact]
    public void Plan_SinkThatCannotKeepThem_NamesThoseThatCan() =>
        WorkerHost.Plan(Configuration(("Handlers:Archive:Metadata:tenant", "{tenant}"))).Errors.ShouldHaveSingleItem().ToString().ShouldBe(
            "Handlers:Archive:Metadata:tenant = \"{tenant}\": needs a sink that keeps metadata and tags, and Directory does not: set Routes:archive:Sink to "
                + "one that does (AzureBlobs, Memory, S3), or remove the setting. Objects would be stored without them.");

    [Fact]
    public void Plan_NameThatS3DoesNotAllow_IsAProblemOfTheRoutesSetting()
    {
        IReadOnlyList<ConfigurationError> errors = WorkerHost.Plan(Configuration(
            ("Routes:orders:Source", "Channel"), ("Routes:orders:Sink", "S3"), ("Sinks:S3:Bucket", "archive"), ("Sinks:S3:Tags:team", "a"),
            ("Routes:orders:Handlers:Archive:Tags:team", "{team}"), ("Handlers:Archive:Metadata:my team", "{team}"))).Errors;

        errors.Select(error => error.Key).ShouldBe(["Routes:orders:Handlers:Archive:Tags:team", "Handlers:Archive:Metadata:my team"], ignoreOrder: true);
    }

    private static async Task<ObjectProperties?> StoreAsync(string body, params (string Key, string Value)[] settings)
    {
        await using TestWorker worker = await StartAsync([.. settings]);

        Settlement settlement = await worker.SendAsync(body);

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.ShouldHaveSingleItem();
        return worker.Stored.Properties.SingleOrDefault().Value;
    }

    private static Task<TestWorker> StartAsync((string Key, string Value)[] settings, params KeyValuePair<string, string?>[] others) => TestWorker.StartAsync(
        worker => worker.AddArchive(),
        [
            new("Routes:archive:Handler", "Archive"),
            new("Routes:archive:Sink", TestWorker.Sink),
            .. settings.Select(setting => new KeyValuePair<string, string?>($"Handlers:Archive:{setting.Key}", setting.Value)),
            .. others,
        ],
        cancellationToken: Token);

    private static IConfiguration Configuration(params (string Key, string Value)[] values) =>
        new ConfigurationBuilder().AddInMemoryCollection(values.Select(value => new KeyValuePair<string, string?>(value.Key, value.Value))).Build();
}
