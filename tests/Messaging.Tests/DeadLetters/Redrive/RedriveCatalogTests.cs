using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Shared.Hosting;

namespace Messaging.Tests.DeadLetters.Redrive;

public sealed class RedriveCatalogTests : IDisposable
{
    private static readonly RedriveRequest All = new(Reason: null, Max: int.MaxValue, DryRun: false, Url: null, Route: null);

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Names_OfTheDaemon_AreTheFolderAndTheQueues()
    {
        RedriveCatalog stores = new(WorkerHost.Features());

        stores.Names.ShouldBe(["folder", "sqs", "servicebus", "rabbitmq"]);
        stores.Description.ShouldBe(
            "folder (dead letters of DeadLetters:Path, sent to their routes) or sqs (dead-letter queue, moved to the queue: --Sources:Sqs:Queue=name) or "
                + "servicebus (dead-letter queue, moved to the queue: --Sources:ServiceBus:Queue=name) or rabbitmq (dead-letter queue, "
                + "moved to the queue: --Sources:RabbitMq:Queue=name)");
    }

    [Fact]
    public void Names_NoSenderReachesARoute_HaveNoFolder() => new RedriveCatalog(FakeFeatures.Of([new SqsSourceFeature()], [], [])).Names.ShouldBe(["sqs"]);

    [Fact]
    public async Task Run_QueueOfASource_GetsTheRequestAndIsMovedAndDisposed()
    {
        MemoryQueue queue = new(7);
        RedriveRequest request = All with { Max = 5 };

        RedriveResult result = await new RedriveCatalog(FakeFeatures.Of([queue], [], [])).RunAsync(
            "memory", new ConfigurationBuilder().Build(), request, new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null),
            CancellationToken.None);

        (result.Found, result.Sent, queue.Letters.Count, queue.IsDisposed).ShouldBe((5, 5, 2, true));
        queue.Request.ShouldBe(request);
    }

    [Fact]
    public async Task Run_FolderToFolder_IsAUsageError()
    {
        StartupException refused = await Should.ThrowAsync<StartupException>(() => RunFolderAsync(All with { ToFolder = true }));

        refused.ExitCode.ShouldBe(ExitCodes.Usage);
        refused.Message.ShouldContain("Name a queue with --from");
    }

    [Theory]
    [InlineData("Hosting:Url", "http://example.com")]
    [InlineData("DeadLetters:Path", "a\0b")]
    public async Task Run_SettingsOfFolderOrSenderAreWrong_IsAConfigurationErrorBeforeTheFirstDeadLetter(string key, string value)
    {
        ConfigurationException wrong = await Should.ThrowAsync<ConfigurationException>(() => RunFolderAsync(All, KeyValuePair.Create(key, (string?)value)));

        wrong.Errors.ShouldHaveSingleItem().Key.ShouldBe(key);
    }

    [Fact]
    public async Task Run_UrlIsNotAnAddress_IsAUsageErrorBeforeTheFirstDeadLetter()
    {
        StartupException wrong = await Should.ThrowAsync<StartupException>(() => RunFolderAsync(All with { Url = "here" }));

        wrong.ExitCode.ShouldBe(ExitCodes.Usage);
    }

    // The folder is empty: nothing is sent.
    private Task<RedriveResult> RunFolderAsync(RedriveRequest request, params KeyValuePair<string, string?>[] settings) =>
        new RedriveCatalog(FakeFeatures.Of([new HttpSourceFeature()], [], [])).RunAsync(
            "folder",
            new ConfigurationBuilder()
                .AddInMemoryCollection([KeyValuePair.Create("DeadLetters:Path", (string?)_folder.Path)])
                .AddInMemoryCollection(settings)
                .Build(),
            request,
            new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null),
            CancellationToken.None);
}
