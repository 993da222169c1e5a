using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;
using Shared.Hosting;

namespace Messaging.Tests.Publishing;

public sealed class SenderCatalogTests
{
    [Fact]
    public void Names_OfTheDaemon_AreThoseOfItsSources()
    {
        SenderCatalog senders = new(WorkerHost.Features());

        senders.Names.ShouldBe(["http", "channel", "sqs", "servicebus", "rabbitmq"]);
        senders.Description.ShouldBe(
            "http or channel (POST to a running worker), sqs (directly to the queue: --Sources:Sqs:Queue=name), "
            + "servicebus (directly to the queue or topic of Sources:ServiceBus), rabbitmq (directly to the queue of Sources:RabbitMq)");
    }

    [Fact]
    public void Names_SourcesWithoutASender_AreNone() => new SenderCatalog(FakeFeatures.Of([new ChannelSourceFeature()], [], [])).Names.ShouldBeEmpty();

    [Fact]
    public void Create_TwoSourcesOfOneName_IsAConfigurationErrorThatNamesBoth()
    {
        StartupException twice = Should.Throw<StartupException>(
            () => new SenderCatalog(FakeFeatures.Of([new HttpSourceFeature(), new OtherSource("Other", "other", "http")], [], [])));

        twice.ExitCode.ShouldBe(ExitCodes.Configuration);
        twice.Message.ShouldStartWith("publish --to http: the sources Http and Other both have this name.");
    }

    [Fact]
    public async Task Open_Settings_AreThoseOfTheRouteAndAddress()
    {
        OtherSource source = new("Other", "other", "another");
        IMessageSender sender = await OpenAsync(new SenderCatalog(FakeFeatures.Of([source], [], [])), "another", route: "orders", url: "http://h", []);

        sender.Target.ShouldBe("Other for orders at http://h");
    }

    [Fact]
    public async Task Open_SettingsAreWrong_IsAConfigurationErrorAndOpensNothing()
    {
        OtherSource source = new("Other", "other") { Problem = "must be set." };

        ConfigurationException wrong = await Should.ThrowAsync<ConfigurationException>(
            () => OpenAsync(new SenderCatalog(FakeFeatures.Of([source], [], [])), "other", route: null, url: null, []));

        wrong.Errors.ShouldHaveSingleItem().Key.ShouldBe("Sources:Other:Key");
        source.Opened.ShouldBeFalse();
    }

    [Theory]
    [InlineData("here")]
    [InlineData("ftp://here")]
    public async Task Open_UrlIsNoAddress_IsAUsageError(string url)
    {
        StartupException wrong = await Should.ThrowAsync<StartupException>(
            () => OpenAsync(new SenderCatalog(FakeFeatures.Of([new HttpSourceFeature()], [], [])), "http", route: null, url, []));

        wrong.ExitCode.ShouldBe(ExitCodes.Usage);
        wrong.Message.ShouldBe($"--url {url}: must be an address such as http://127.0.0.1:8080, without a user.");
    }

    [Fact]
    public async Task Open_UrlHasAPassword_IsAUsageErrorThatDoesNotShowIt()
    {
        StartupException wrong = await Should.ThrowAsync<StartupException>(
            () => OpenAsync(
                new SenderCatalog(FakeFeatures.Of([new HttpSourceFeature()], [], [])), "http", route: null, "http://user:canary@127.0.0.1:8080", []));

        wrong.Message.ShouldBe("--url http://***@127.0.0.1:8080: must be an address such as http://127.0.0.1:8080, without a user.");
    }

    [Theory]
    [InlineData(null, null, "http://127.0.0.2:81/messages")]
    [InlineData("http://other", null, "http://other/messages")]
    [InlineData(null, "a b", "http://127.0.0.2:81/messages/a b")]
    public async Task Open_Http_IsTheRouteOfTheWorkerAtTheAddress(string? url, string? route, string target)
    {
        using IMessageSender sender = await OpenAsync(
            new SenderCatalog(FakeFeatures.Of([new HttpSourceFeature()], [], [])), "channel", route, url, [new("Hosting:Url", "http://127.0.0.2:81")]);

        sender.Target.ShouldBe(target);
    }

    private static async Task<IMessageSender> OpenAsync(
        SenderCatalog senders, string name, string? route, string? url, KeyValuePair<string, string?>[] settings) => await senders.OpenAsync(
        name, new ConfigurationBuilder().AddInMemoryCollection(settings).Build(), route, url,
        new CommandServices(TimeProvider.System, TextWriter.Null, TextWriter.Null), CancellationToken.None);

    private sealed class OtherSource(string name, params string[] names) : ISourceFeature, ISenderFeature
    {
        public string? Problem { get; init; }

        public bool Opened { get; private set; }

        public string Name => name;

        public IReadOnlyList<SettingsSection> Settings => [];

        public IReadOnlyList<string> SenderNames => names;

        public string SenderTarget => "to the other";

        public SourcePlan Configure(SettingsReader settings, string route) => throw new NotSupportedException();

        public Func<CommandServices, CancellationToken, Task<IMessageSender>> ConfigureSender(SettingsReader settings, string? route, string? url)
        {
            if (Problem is not null)
            {
                settings.Fail($"Sources:{name}:Key", null, Problem);
            }

            return (_, _) =>
            {
                Opened = true;
                return Task.FromResult<IMessageSender>(new Sender($"{name} for {route} at {url}"));
            };
        }
    }

    private sealed class Sender(string target) : IMessageSender
    {
        public string Target => target;

        public string Accepted => "sent to";

        public int Concurrency => 1;

        public int BatchSize => 1;

        public Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken) => throw new NotSupportedException();

        public void Dispose()
        {
        }
    }
}
