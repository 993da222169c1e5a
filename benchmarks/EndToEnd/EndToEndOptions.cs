using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.EndToEnd;

/// <summary>What is measured, and how much of it.</summary>
/// <param name="Clients">The clients.</param>
/// <param name="InFlight">Messages in flight, for the first table; 0 for as many as the worker finds.</param>
/// <param name="Messages">Messages per pass of the first table.</param>
/// <param name="Passes">Passes per row.</param>
/// <param name="Sizes">Messages per pass of the second table, at <see cref="SizesInFlight"/>.</param>
/// <param name="WarmUp">Messages per warm-up round.</param>
/// <param name="PutMilliseconds">How long a PUT waits for its answer.</param>
/// <param name="Bundle">Messages that the worker stores in one object; 0 for an object per message, as the other clients always do.</param>
internal sealed record EndToEndOptions(
    IReadOnlyList<ClientKind> Clients, IReadOnlyList<int> InFlight, int Messages, int Passes, IReadOnlyList<int> Sizes, int WarmUp, int PutMilliseconds = 0,
    int Bundle = 0)
{
    public const int SizesInFlight = 64;
}
