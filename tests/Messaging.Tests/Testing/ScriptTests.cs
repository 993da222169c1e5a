using System.Text;
using Messaging.Tests.Intake;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

/// <summary>A script runs for one message at a time, whatever threads deliver.</summary>
public sealed class ScriptTests
{
    private const int Messages = 2_000;

    private int _running;
    private int _overlaps;

    [Fact]
    public async Task Intake_ManyMessages_RunsItsScriptOneAtATime()
    {
        TestIntake intake = new(Messages);
        intake.Script = _ =>
        {
            Run();
            return Settlement.Complete;
        };

        using SlotLease slots = await intake.ReserveAsync(Messages, Messages, CancellationToken.None);
        for (int i = 0; i < Messages; i++)
        {
            slots.Accept(new TestMessage { Id = $"{i}" });
        }

        await intake.DrainAsync(CancellationToken.None);

        (intake.Accepted, _overlaps).ShouldBe((Messages, 0));
    }

    [Fact]
    public void Sink_ManyThreads_RunItsScriptOneAtATime()
    {
        MemoryObjectSink sink = new();
        sink.Script = _ =>
        {
            Run();
            return null;
        };

        Parallel.For(0, Messages, new ParallelOptions { MaxDegreeOfParallelism = 4 }, i =>
            sink.StoreAsync(Encoding.UTF8.GetBytes($"{i}"), "{}"u8.ToArray(), CancellationToken.None).IsCompletedSuccessfully.ShouldBeTrue());

        (sink.Objects.Count, _overlaps).ShouldBe((Messages, 0));
    }

    private void Run()
    {
        if (Interlocked.Increment(ref _running) > 1)
        {
            Interlocked.Increment(ref _overlaps);
        }

        Thread.SpinWait(200);
        Interlocked.Decrement(ref _running);
    }
}
