using System.Text.Json.Serialization;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>A JSON context that lets missing properties pass in silence is reported at start and by validate.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class LenientJsonTests
{
    [Fact]
    public void Plan_ContextWithoutTheOptions_WarnsNamingPropertyContextAndOptions() =>
        Warnings(worker => worker.AddHandler<Purchase, Any<Purchase>>("Orders", LenientContext.Default.Purchase)).ShouldBe(
        [
            "Handlers:Orders: a message whose Purchase.Id is missing or null is handled with null or 0 in its place, without an error: LenientContext does not "
                + "set RespectNullableAnnotations and RespectRequiredConstructorParameters. "
            + "Write [JsonSourceGenerationOptions(RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true, ...)] on it; such messages "
            + "are then dead-lettered as wrong-shape.",
        ]);

    [Fact]
    public void Plan_OneOptionMissing_WarnsOfThatOne()
    {
        Warnings(worker => worker.AddHandler<Purchase, Any<Purchase>>("Orders", NullsOnlyContext.Default.Purchase))
            .ShouldHaveSingleItem()
            .ShouldContain("NullsOnlyContext does not set RespectRequiredConstructorParameters. ");
        Warnings(worker => worker.AddHandler<Amount, Any<Amount>>("Orders", NullsOnlyContext.Default.Amount))
            .ShouldHaveSingleItem()
            .ShouldContain("Amount.Total");
    }

    [Fact]
    public void Plan_PropertyOfAnElementOrAProperty_Warns()
    {
        Warnings(worker => worker.AddHandler<List<Purchase>, Any<List<Purchase>>>("Orders", LenientContext.Default.ListPurchase))
            .ShouldHaveSingleItem()
            .ShouldContain("Purchase.Id");
        Warnings(worker => worker.AddHandler<Envelope, Any<Envelope>>("Orders", LenientContext.Default.Envelope))
            .ShouldHaveSingleItem()
            .ShouldContain("Purchase.Id");
    }

    [Fact]
    public void Plan_BatchHandler_Warns() =>
        Warnings(worker => worker.AddBatchHandler<Purchase, AnyBatch>("Orders", LenientContext.Default.Purchase))
            .ShouldHaveSingleItem()
            .ShouldContain("Purchase.Id");

    [Fact]
    public void Plan_StrictContextOrTolerantType_DoesNotWarn()
    {
        Warnings(worker => worker.AddHandler<Purchase, Any<Purchase>>("Orders", StrictContext.Default.Purchase)).ShouldBeEmpty();
        Warnings(worker => worker.AddHandler<Tolerant, Any<Tolerant>>("Orders", LenientContext.Default.Tolerant)).ShouldBeEmpty();
        Warnings(worker => worker.AddHandler<int, Any<int>>("Orders", LenientContext.Default.Int32)).ShouldBeEmpty();
    }

    private static IEnumerable<string> Warnings(Action<IMessageWorkerBuilder> add)
    {
        WorkerPlan plan = HandlerRoute.Plan(add, "Routes:again:Source=Channel", "Routes:again:Handler=Orders");
        plan.Errors.ShouldBeEmpty();
        return plan.Warnings.Select(warning => warning.ToString()).Where(warning => warning.StartsWith("Handlers:", StringComparison.Ordinal));
    }

    internal sealed class Any<T> : IMessageHandler<T>
    {
        public ValueTask<Settlement> HandleAsync(T message, MessageInfo info, CancellationToken cancellationToken) => new(Settlement.Complete);
    }

    internal sealed class AnyBatch : IBatchHandler<Purchase>
    {
        public ValueTask HandleAsync(MessageBatch<Purchase> batch, CancellationToken cancellationToken) => default;
    }
}

internal sealed record Purchase(string Id, decimal Total);

internal sealed record Amount(decimal Total);

internal sealed record Envelope(Purchase? Inner);

internal sealed record Tolerant(string? Id = null, int? Count = null);

[JsonSerializable(typeof(Purchase))]
[JsonSerializable(typeof(List<Purchase>))]
[JsonSerializable(typeof(Envelope))]
[JsonSerializable(typeof(Tolerant))]
[JsonSerializable(typeof(int))]
internal sealed partial class LenientContext : JsonSerializerContext;

[JsonSourceGenerationOptions(RespectNullableAnnotations = true)]
[JsonSerializable(typeof(Purchase))]
[JsonSerializable(typeof(Amount))]
internal sealed partial class NullsOnlyContext : JsonSerializerContext;

[JsonSourceGenerationOptions(RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(Purchase))]
internal sealed partial class StrictContext : JsonSerializerContext;
