using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Sources.Channels;

public sealed class ChannelPublishersTests
{
    [Fact]
    public async Task Publish_NoSuchRoute_ListsTheRoutes()
    {
        await using ServiceProvider services = Services();
        await using IMessageSource a = Create(services, "a");
        await using IMessageSource b = Create(services, "b");

        InvalidOperationException missing = await Should.ThrowAsync<InvalidOperationException>(
            async () => await services.GetRequiredKeyedService<IMessagePublisher>("c").PublishAsync(default));

        missing.Message.ShouldContain("Route 'c'");
        missing.Message.ShouldContain("a, b");
    }

    [Fact]
    public async Task Publish_NoKeyAndOneRoute_ReachesIt()
    {
        await using ServiceProvider services = Services();
        IMessagePublisher publisher = services.GetRequiredService<IMessagePublisher>();
        await Should.ThrowAsync<InvalidOperationException>(async () => await publisher.PublishAsync(default));
        await using IMessageSource only = Create(services, "only");

        await publisher.PublishAsync("{}"u8.ToArray());

        services.GetRequiredService<ChannelPublishers>().For("ONLY").Published.ShouldBe(1);
    }

    [Fact]
    public async Task Publish_NoKeyAndSeveralRoutes_ReachesTheOneNamedDefault()
    {
        await using ServiceProvider services = Services();
        IMessagePublisher publisher = services.GetRequiredService<IMessagePublisher>();
        await using IMessageSource a = Create(services, "a");
        await using IMessageSource b = Create(services, "b");
        InvalidOperationException missing = await Should.ThrowAsync<InvalidOperationException>(async () => await publisher.PublishAsync(default));
        missing.Message.ShouldBe("There is no default channel route. Existing channel routes: a, b.");
        await using IMessageSource named = Create(services, "Default");

        await publisher.PublishAsync("{}"u8.ToArray());

        ChannelPublishers publishers = services.GetRequiredService<ChannelPublishers>();
        (publishers.For("a").Published, publishers.For("b").Published, publishers.For("default").Published).ShouldBe((0, 0, 1));
    }

    [Fact]
    public async Task Publish_Keyed_ReachesItsRoute()
    {
        await using ServiceProvider services = Services();
        await using IMessageSource a = Create(services, "a");
        await using IMessageSource b = Create(services, "b");

        await services.GetRequiredKeyedService<IMessagePublisher>("b").PublishAsync("{}"u8.ToArray());

        ChannelPublishers publishers = services.GetRequiredService<ChannelPublishers>();
        (publishers.For("a").Published, publishers.For("b").Published).ShouldBe((0, 1));
    }

    private static ServiceProvider Services() => new ServiceCollection().AddChannelPublishers().BuildServiceProvider();

    private static IMessageSource Create(ServiceProvider services, string route)
    {
        SourcePlan plan = new ChannelSourceFeature().Configure(new SettingsReader(new ConfigurationBuilder().Build()), route);
        return plan.Create(new SourceServices { Route = route, Services = services, DeadLetters = new MemoryDeadLetters(), Concurrency = 4 });
    }
}
