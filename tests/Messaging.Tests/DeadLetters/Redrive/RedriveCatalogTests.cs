using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
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
    public void Create_TwoStoresOfOneName_IsAConfigurationError()
    {
        StartupException twice =
            Should.Throw<StartupException>(() => new RedriveCatalog(FakeFeatures.Of([new SqsSourceFeature(), new OtherQueue("sqs")], [], [])));

        twice.ExitCode.ShouldBe(ExitCodes.Configuration);
        twice.Message.ShouldStartWith("redrive --from sqs: two dead-letter stores have this name.");
    }

    [Fact]
    public async Task Run_StoreOfASource_GetsRequestAndServices()
    {
        OtherQueue queue = new("other");
        RedriveRequest request = All with { Reason = "r" };
        CommandServices services = new(TimeProvider.System, TextWriter.Null, TextWriter.Null);

        RedriveResult result = await new RedriveCatalog(FakeFeatures.Of([queue], [], [])).RunAsync(
            "other", new ConfigurationBuilder().Build(), request, services, CancellationToken.None);

        result.Found.ShouldBe(7);
        queue.Ran.ShouldBe((request, services));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Run_StoreThatMovesNoSingleLetters_RefusesIdsAndTheFolder(bool toFolder)
    {
        OtherQueue queue = new("other");
        RedriveRequest request = toFolder ? All with { ToFolder = true } : All with { Names = new HashSet<string>(["a"], StringComparer.Ordinal) };

        StartupException refused = await Should.ThrowAsync<StartupException>(() => new RedriveCatalog(FakeFeatures.Of([queue], [], [])).RunAsync(
            "other", new ConfigurationBuilder().Build(), request, new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null),
            CancellationToken.None));

        (refused.ExitCode, refused.Message).ShouldBe((ExitCodes.Usage, "redrive --from other: takes neither --id nor --to folder."));
        queue.Ran.ShouldBeNull();
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

    private sealed class OtherQueue(string name) : ISourceFeature, IRedriveFeature
    {
        public (RedriveRequest Request, CommandServices Services)? Ran { get; private set; }

        public string Name => "Other";

        public IReadOnlyList<SettingsSection> Settings => [];

        public string RedriveName => name;

        public string RedriveDescription => "other dead letters";

        public SourcePlan Configure(SettingsReader settings, string route) => throw new NotSupportedException();

        public Func<CommandServices, CancellationToken, Task<RedriveResult>> ConfigureRedrive(SettingsReader settings, RedriveRequest request) =>
            (services, _) =>
            {
                Ran = (request, services);
                return Task.FromResult(new RedriveResult(Found: 7, Sent: 7, LeftCount: 0, [], AgainCount: 0, [], [], Ended: null));
            };
    }
}
