using System.Diagnostics;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

[Collection(SpanCollection.Name)]
public sealed class ServiceBusTraceTests
{
    private const string First = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private const string Second = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-00";

    public static TheoryData<object?, object?, string?> Contexts => new()
    {
        { null, null, null },
        { First, Second, "0af7651916cd43dd8448eb211c80319c" },
        { null, Second, "5759e988bd862e3fe1be46a994272793" },
        { "malformed", Second, "5759e988bd862e3fe1be46a994272793" },
        { 7, Second, "5759e988bd862e3fe1be46a994272793" },
        { null, "|7b4e.1.", null },
        { null, DateTimeOffset.UnixEpoch, null },
    };

    [Theory]
    [MemberData(nameof(Contexts))]
    public async Task Receive_TraceParentElseDiagnosticId_IsTheCreationContext(object? traceParent, object? diagnosticId, string? expected)
    {
        await using ServiceBusSourceHarness harness = await ServiceBusSourceHarness.ReceivingAsync();
        Dictionary<string, object> properties = [];
        foreach ((string name, object? value) in (ReadOnlySpan<(string, object?)>)[("traceparent", traceParent), ("Diagnostic-Id", diagnosticId)])
        {
            if (value is not null)
            {
                properties[name] = value;
            }
        }

        harness.Bus.Publish("{}"u8.ToArray(), "a", properties);

        Delivery delivery = await harness.Intake.NextAsync();
        delivery.Message.CreationContext.TraceId.ToHexString().ShouldBe(expected ?? new string('0', 32));
        await delivery.SettleAsync(Settlement.Complete);
        await harness.WaitUntilEmptyAsync();
        await harness.FinishAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Complete_Message_SettleIsAChildOfItsSpan(bool fails)
    {
        using SpanRecorder spans = new();
        await using ServiceBusSourceHarness harness = new();
        harness.Bus.Script = _ => fails ? BusFaults.Of(ServiceBusFaultKind.LockLost, "gone") : null;
        await harness.StartAsync();
        await harness.PublishAsync("{}"u8.ToArray(), "a");
        Delivery delivery = await harness.Intake.NextAsync();
        Activity process = new Activity("process").SetIdFormat(ActivityIdFormat.W3C).Start();
        process.ActivityTraceFlags = ActivityTraceFlags.Recorded;
        process.SetTag("messaging.message.id", "a");
        process.Stop();
        delivery.Message.Span = process;

        await delivery.SettleAsync(Settlement.Complete);

        await ServiceBusSourceHarness.UntilAsync(() => spans.In(process.Context, "settle orders").Count == 1, "The settlement has no span.");
        Activity settle = spans.In(process.Context, "settle orders").Single();
        settle.ParentSpanId.ShouldBe(process.SpanId);
        settle.Kind.ShouldBe(ActivityKind.Client);
        settle.GetTagItem("messaging.system").ShouldBe("servicebus");
        settle.GetTagItem("messaging.message.id").ShouldBe("a");
        settle.GetTagItem("error.type").ShouldBe(fails ? "LockLost" : null);
        settle.Status.ShouldBe(fails ? ActivityStatusCode.Error : ActivityStatusCode.Unset);
        await harness.FinishAsync();
    }
}
