using Pipeline.Tests.Messages;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Pipeline.Tests.Contexts;

public sealed class SetAttributeTests
{
    [Fact]
    public async Task SetAttribute_AllElse_IsTheMessages()
    {
        StubMessage message = new();
        MessageContext context = new() { Message = message };

        context.SetAttribute("tenant", "acme");
        context.SetAttribute("tenant", "other");
        context.SetAttribute("region", "eu");

        context.Message.FindAttribute("tenant").ShouldBe("other");
        context.Message.FindAttribute("none").ShouldBeNull();
        context.Message.Attributes.ShouldBe([new("tenant", "other"), new("region", "eu")]);
        context.Message.Body.ToArray().ShouldBe(message.Body.ToArray());
        context.Message.SourceId.ToArray().ShouldBe(message.SourceId.ToArray());
        context.Message.DeliveryCount.ShouldBe(message.DeliveryCount);
        await Should.ThrowAsync<InvalidOperationException>(async () => await context.Message.SettleAsync(Settlement.Complete, CancellationToken.None));
        message.FindAttribute("tenant").ShouldBeNull();
    }

    [Fact]
    public async Task SetAttribute_TheSourceReusesItsMessage_TheNextOneIsNotReadByIt()
    {
        StubMessage message = new();
        MessageContext context = new() { Message = message };
        context.SetAttribute("tenant", "acme");
        await message.SettleAsync(Settlement.Complete, CancellationToken.None);
        context.Message.Body.Length.ShouldBe(4);

        message.Redeliver();

        Should.Throw<InvalidOperationException>(() => context.Message.Body).Message.ShouldContain("has reused it");
    }
}
