using Messaging.Configuration;

namespace Messaging.Intake;

/// <summary>Section <c>Intake</c>: how much each source of a route has worked on at once.</summary>
internal sealed class IntakeOptions
{
    [Setting("Messages worked on at once, for each source of a route", Min = "1", Max = "10000", Consequence = "0 would never receive; more than 10,000 outgrows the queue's in-flight limits and the memory cap.")]
    public int Concurrency { get; set; } = 64;

    [Setting("Body bytes held at once, for each source of a route; at it no slot is granted, but what slots were granted for before still comes in (at most Concurrency messages)", Bytes = true, Min = "64KiB", Max = "64GiB", Consequence = "Too little stalls on one large message; too much and a burst ends in the out-of-memory killer.")]
    public long BytesInFlight { get; set; } = 64L << 20;

    [Setting("Time one attempt at a message may take, with its retries in process; then its token is cancelled and it is abandoned. Time for which it is held while the sink fails does not count", Min = "1s", Max = "12h", Consequence = "Below the sink's own deadline every slow store would be cut off.")]
    public TimeSpan MessageTimeout { get; set; } = TimeSpan.FromSeconds(90);
}
