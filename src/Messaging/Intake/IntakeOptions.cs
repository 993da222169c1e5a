using Messaging.Configuration;

namespace Messaging.Intake;

/// <summary>Section <c>Intake</c>: what each source of a route may have in flight. A feature reads it with <see cref="SettingsReader.Read{T}(string, string?)"/> to check its own settings against it.</summary>
public sealed class IntakeOptions
{
    /// <summary>Slots for each source; default 64.</summary>
    [Setting("Messages worked on at once, for each source of a route", Min = "1", Max = "10000", Consequence = "0 would never receive; more than 10,000 outgrows the queue's in-flight limits and the memory cap.")]
    public int Concurrency { get; set; } = 64;

    /// <summary>Body bytes in flight for each source; default 64 MiB.</summary>
    [Setting("Body bytes held at once, for each source of a route; at it no slot is granted, but what slots were granted for before still comes in (at most Concurrency messages)", Bytes = true, Min = "64KiB", Max = "64GiB", Consequence = "Too little stalls on one large message; too much and a burst ends in the out-of-memory killer.")]
    public long BytesInFlight { get; set; } = 64L << 20;

    /// <summary>Time for one attempt at a message, retries in process included; default 90 s.</summary>
    [Setting("Time one attempt at a message may take, with its retries in process; then its token is cancelled and it is abandoned. Time for which it is held while the sink fails does not count", Min = "1s", Max = "12h", Consequence = "Below the sink's own deadline every slow store would be cut off.")]
    public TimeSpan MessageTimeout { get; set; } = TimeSpan.FromSeconds(90);
}
