using System.Text;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs;

public sealed class InFlightMessagesTests
{
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void Admit_MoreDoneThanRemembered_ForgetsTheOldestFirst()
    {
        InFlightMessages registry = Create(doneIds: 3);
        for (int i = 0; i < 100; i++)
        {
            Settle(registry, Message($"{i}", "handle"));

            // A done message that is redelivered keeps its age.
            Settle(registry, Message($"{Math.Max(0, i - 2)}", "again"));
        }

        Admit(registry, [.. Enumerable.Range(90, 10).Select(i => Message($"{i}", "last"))])
            .ShouldBe([.. Enumerable.Repeat(Admission.New, 7), .. Enumerable.Repeat(Admission.Done, 3)]);
    }

    [Fact]
    public void Admit_NoDoneIds_RemembersNone()
    {
        InFlightMessages registry = Create(doneIds: 0);

        Settle(registry, Message("a", "handle-1"));

        Admit(registry, Message("a", "handle-2")).ShouldBe([Admission.New]);
    }

    [Fact]
    public void Finish_AbandonedMessageIsInFlightAgain_LaterDeliveryStays()
    {
        InFlightMessages registry = Create();
        SqsReceivedMessage abandoned = Message("a", "handle-1");
        Admit(registry, abandoned);
        registry.Remove(abandoned);
        Sent returned = Batch(registry, abandoned);
        Admit(registry, Message("a", "handle-2")).ShouldBe([Admission.New]);

        Finish(registry, returned).ShouldBe([true]);

        registry.Count.ShouldBe(1);
    }

    private InFlightMessages Create(int doneIds = 10) => new(_time, TimeSpan.FromSeconds(30), doneIds);

    private SqsReceivedMessage Message(string id, string handle)
    {
        SqsReceivedMessage message = new(owner: null);
        message.Open(batch: null, body: default, Encoding.ASCII.GetBytes(id), Encoding.ASCII.GetBytes(handle));
        message.SetReceived(_time.GetTimestamp());
        return message;
    }

    private static Admission[] Admit(InFlightMessages registry, params SqsReceivedMessage[] messages)
    {
        Admission[] admissions = new Admission[messages.Length];
        registry.Admit(messages, admissions);
        return admissions;
    }

    private static Sent Batch(InFlightMessages registry, params SqsReceivedMessage[] messages)
    {
        ReadOnlyMemory<byte>[] handles = new ReadOnlyMemory<byte>[messages.Length];
        registry.CopyHandles(messages, handles);
        return new Sent(messages, handles);
    }

    private static bool[] Finish(InFlightMessages registry, Sent batch)
    {
        bool[] isOver = [.. batch.Messages.Select(_ => true)];
        registry.Finish(batch.Messages, batch.Handles, isOver);
        return isOver;
    }

    private static void Settle(InFlightMessages registry, SqsReceivedMessage message)
    {
        Admit(registry, message);
        message.IsDone = true;
        Finish(registry, Batch(registry, message)).ShouldBe([true]);
    }

    private sealed record Sent(SqsReceivedMessage[] Messages, ReadOnlyMemory<byte>[] Handles);
}
