using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace OrdersApp;

/// <summary>Mistakes of a program that adds its parts.</summary>
internal static class Mistakes
{
    public static void Add(IMessageWorkerBuilder worker) => worker
        .AddSettings(SettingsSection.Of<TenantOptions>("Tenants"))
        .AddHandler<Order, BookOrder, BookOptions>("Orders", OrderJson.Default.Order)
        .AddHandler<Order, BookOrder, BookOptions>("orders", OrderJson.Default.Order)
        .AddHandler<Order, BookOrder, BookOptions>("Untyped", null!)
        .AddStep<TenantStep>("Tenant")
        .AddStep<TenantStep>("tenant")
        .AddSettings(SettingsSection.Of<DrainOptions>("Hosting"));

    private sealed class DrainOptions
    {
        [Setting("How long the shop waits")]
        public TimeSpan DrainTimeout { get; set; }
    }

    private sealed class TenantStep : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) => new(StepOutcome.Continue);

        public ValueTask AfterAsync(MessageContext context) => default;
    }
}
