using System.Reflection;
using System.Text;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

/// <summary>The contracts detect implementations that break them.</summary>
public sealed class ContractTests
{
    [Fact]
    public void Rules_OfEachContract_AreTested()
    {
        ShouldBeAll<MessageSourceContract>(MessageSourceContractTests.Rules);
        ShouldBeAll<ObjectSinkContract>(ObjectSinkContractTests.Rules);
        ShouldBeAll<DocumentSinkContract>(DocumentSinkContractTests.Rules);
        ShouldBeAll<HandlerContract>(HandlerContractTests.Rules);

        static void ShouldBeAll<T>(TheoryData<string> rules) => rules
            .Select(row => row.Data)
            .ShouldBe(typeof(T).GetMethods().Where(one => !one.IsSpecialName && one.Name.Contains('_')).Select(one => one.Name), ignoreOrder: true);
    }

    [Fact]
    public void Assembly_References_NoTestFramework() =>
        typeof(MessageSourceContract).Assembly
            .GetReferencedAssemblies()
            .Where(name => !name.Name!.StartsWith("System.", StringComparison.Ordinal))
            .Select(name => name.Name)
                .ShouldAllBe(
                    name => name!.StartsWith("Microsoft.Extensions.", StringComparison.Ordinal) || name == "Quayside.Messaging" || name == "Quayside.Pipeline");

    [Fact]
    public async Task Source_OtherBody_IsDetected() =>
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message) { OtherBody = "other"u8.ToArray() },
            contract => contract.Receive_AnyBody_ArrivesUnchanged()))
            .ShouldStartWith("A body arrives unchanged.");

    [Fact]
    public async Task Source_OneIdForAll_IsDetected() =>
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message) { OtherId = "same" }, contract => contract.Receive_DifferentMessages_HaveDifferentIds()))
            .ShouldStartWith("Different messages have different ids.");

    [Fact]
    public async Task Source_DeadLettersCompletedMessages_IsDetected() =>
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message) { OtherSettlement = _ => Settlement.DeadLetter("other", "Not what was decided.") },
            contract => contract.Complete_Message_IsGone()))
            .ShouldStartWith("A completed message is not dead-lettered.");

    [Fact]
    public async Task Source_DelayIsIgnored_IsDetected() =>
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message) { OtherSettlement = settlement => settlement with { Delay = TimeSpan.Zero } },
            contract => contract.Abandon_WithDelay_IsRedeliveredUnchangedAfterIt()))
            .ShouldStartWith("An abandoned message is not redelivered before its delay has ended.");

    [Fact]
    public async Task Source_RecoversAfterACrash_KeepsTheRule()
    {
        await using ClaimingHarness harness = new(recovers: true);

        await new MessageSourceContract(harness).Reopen_AfterACrash_RedeliversWhatWasNotSettled();
    }

    [Fact]
    public async Task Source_ForgetsWhatACrashLeft_IsDetected()
    {
        await using ClaimingHarness harness = new(recovers: false);

        (await Should.ThrowAsync<ContractException>(new MessageSourceContract(harness).Reopen_AfterACrash_RedeliversWhatWasNotSettled())).Message
            .ShouldStartWith("After a crash each message that was not settled is delivered again");
    }

    [Fact]
    public async Task Source_RedeliversWhatItHasSettled_IsDetected()
    {
        await using ClaimingHarness harness = new(recovers: true) { ForgetsSettlements = true };

        (await Should.ThrowAsync<ContractException>(new MessageSourceContract(harness).Reopen_AfterACrash_RedeliversWhatWasNotSettled())).Message
            .ShouldStartWith("After a crash");
    }

    [Fact]
    public async Task Harness_CannotReopen_SaysWhatToDo()
    {
        await using UnopenableHarness harness = new();

        (await Should.ThrowAsync<ContractException>(() => harness.ReopenAsync())).Message.ShouldContain("RedeliversAfterCrash");
    }

    [Fact]
    public async Task Source_LosesWhatAnInterruptionLeft_IsDetected() =>
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message)
            { OtherSettlement = settlement => settlement.Kind == SettlementKind.Abandon ? Settlement.Complete : settlement },
            contract => contract.Interrupt_WithMessagesInFlight_LosesNone(),
            patience: TimeSpan.Zero))
            .ShouldStartWith("After its connections have ended, a source connects again");

    [Fact]
    public async Task Source_SendsOtherIdsAfterAnInterruption_IsDetected()
    {
        int deliveries = 0;
        (await SourceBreaksAsync(
            message => new TestSourceHarness.BrokenMessage(message) { OtherId = $"id-{Interlocked.Increment(ref deliveries)}" },
            contract => contract.Interrupt_WithMessagesInFlight_LosesNone()))
            .ShouldStartWith("An id is the same on every delivery");
    }

    [Fact]
    public async Task Harness_CannotInterrupt_SaysWhatToDo()
    {
        await using UnopenableHarness harness = new();

        (await Should.ThrowAsync<ContractException>(() => harness.InterruptAsync())).Message.ShouldContain("HoldsConnections");
    }

    [Fact]
    public async Task Sink_ReplacesOtherBytes_IsDetected()
    {
        MemoryObjectSink sink = new() { Script = _ => SinkResult.Stored };

        (await Should.ThrowAsync<ContractException>(
            new ObjectSinkContract(sink, key => new(Encoding.UTF8.GetBytes(key))).Store_OtherBytes_IsACollisionAndTheFirstStay())).Message
            .ShouldStartWith("Other bytes under the same key are a collision. Expected Collision, found Stored.");
    }

    [Fact]
    public async Task Sink_StoresNothing_IsDetected()
    {
        MemoryObjectSink sink = new() { Script = _ => SinkResult.Stored };

        (await Should.ThrowAsync<ContractException>(
            new ObjectSinkContract(sink, key => new(sink.Objects.GetValueOrDefault(key))).Store_AnyBytes_KeepsThemExactly())).Message
            .ShouldBe("The store has 'exact/0.json'.");
    }

    [Fact]
    public async Task Sink_ReturnsDefault_IsDetectedByEveryRuleThatStores()
    {
        ObjectSinkContract contract =
            new(new MemoryObjectSink { Script = _ => default(SinkResult) }, key => new((byte[]?)null)) { BreakStore = static () => new(new MemoryStream()) };

        MethodInfo[] rules = [.. typeof(ObjectSinkContract).GetMethods()
            .Where(method => method.Name.StartsWith("Store_", StringComparison.Ordinal)
                && method.Name != nameof(ObjectSinkContract.Store_Cancelled_ThrowsForThatToken))];
        rules.ShouldNotBeEmpty();
        foreach (MethodInfo rule in rules)
        {
            await Should.ThrowAsync<ContractException>((Task)rule.Invoke(contract, [])!, rule.Name);
        }
    }

    [Fact]
    public async Task Sink_ThrowsWhenItsStoreDoesNotWork_IsDetected()
    {
        MemoryObjectSink sink = new() { Script = static _ => throw new IOException("no reply") };

        (await Should.ThrowAsync<ContractException>(
            new ObjectSinkContract(sink, key => new((byte[]?)null))
            { BreakStore = static () => new(new MemoryStream()) }.Store_StoreDoesNotWork_ReturnsTheFailure())).Message
            .ShouldBe("A store that does not work is returned as Transient or Refused; StoreAsync threw IOException: no reply");
    }

    [Fact]
    public async Task Sink_RejectsMetadata_IsToldWhatASinkWithoutMetadataDoes()
    {
        MemoryObjectSink sink = new() { Script = static _ => new SinkResult(SinkStatus.Rejected) };

        (await Should.ThrowAsync<ContractException>(
            new ObjectSinkContract(sink, key => new((byte[]?)null)).Store_WithMetadataAndTags_ComparesBytesAloneOrRefusesThem())).Message
            .ShouldContain("a sink that keeps none leaves out the StoreAsync that takes ObjectProperties, whose default throws NotSupportedException.");
    }

    [Fact]
    public async Task DocumentSink_ReturnsDefault_IsDetected()
    {
        DocumentSinkContract contract = new(new DefaultDocuments(), _ => new(new Dictionary<string, System.Text.Json.Nodes.JsonNode>()), () => new(0));

        (await Should.ThrowAsync<ContractException>(contract.Complete_NoDocuments_IsStored())).Message.ShouldStartWith(
            "Every document of a message is accounted for.");
        await Should.ThrowAsync<ContractException>(contract.Complete_Documents_AreAllThereExactly());
    }

    [Fact]
    public async Task Handler_ReturnsDefault_IsDetected() =>
        (await HandlerBreaksAsync(
            new SampleHarness(worker => worker.AddHandler<Sample, UndecidedSample>("Samples", SampleJson.Default.Sample)),
            contract => contract.Handle_Message_IsCompletedWithItsEffect()))
            .ShouldStartWith("The handler decides about each message. Found 1: Route contract: message ");

    [Fact]
    public async Task Handler_ReturnsDefaultForARedeliveredMessage_IsDetected() =>
        (await HandlerBreaksAsync(
            new SampleHarness(worker => worker.AddHandler<Sample, UndecidedRepeat>("Samples", SampleJson.Default.Sample)),
            contract => contract.Handle_RedeliveredMessage_HasOneEffect()))
            .ShouldContain("The handler UndecidedRepeat returned default(Settlement), which decides nothing");

    [Fact]
    public async Task Handler_CompletesWithoutItsEffect_IsDetected() =>
        (await HandlerBreaksAsync(
            new SampleHarness(worker => worker.AddHandler<Sample, ForgetSample>("Samples", SampleJson.Default.Sample)),
            contract => contract.Handle_Message_IsCompletedWithItsEffect()))
            .ShouldStartWith("A message has one effect.");

    [Fact]
    public async Task Handler_CompletesWhileItsStoreFails_IsDetected() =>
        (await HandlerBreaksAsync(
            new SampleHarness(worker => worker.AddHandler<Sample, ForgetSample>("Samples", SampleJson.Default.Sample)),
            contract => contract.Handle_WhileItsStoreFails_SettlesNothingAndEverythingAfterwards()))
            .ShouldStartWith("No message is settled while its effect cannot happen.");

    [Fact]
    public async Task Handler_ThatIsNotIdempotent_IsDetected() =>
        (await HandlerBreaksAsync(
            new SampleHarness(
                worker => worker.AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample), new SampleTable { AllowsDuplicates = true }),
            contract => contract.Handle_RedeliveredMessage_HasOneEffect()))
            .ShouldStartWith("A redelivered message has the effect of one. Expected 2, found 4.");

    private static async Task<string> SourceBreaksAsync(
        Func<Quayside.Pipeline.Messages.ReceivedMessage, Quayside.Pipeline.Messages.ReceivedMessage> broken, Func<MessageSourceContract, Task> rule,
        TimeSpan? patience = null)
    {
        await using TestSourceHarness harness = new(broken) { Patience = patience };
        return (await Should.ThrowAsync<ContractException>(rule(new MessageSourceContract(harness)))).Message;
    }

    private static async Task<string> HandlerBreaksAsync(SampleHarness harness, Func<HandlerContract, Task> rule)
    {
        await using (harness)
        {
            return (await Should.ThrowAsync<ContractException>(rule(new HandlerContract(harness)))).Message;
        }
    }
}
