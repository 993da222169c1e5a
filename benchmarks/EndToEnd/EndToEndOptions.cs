using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.EndToEnd;

/// <summary>How much is measured.</summary>
/// <param name="Clients">Who.</param>
/// <param name="InFlight">Messages in work at once, for the first table.</param>
/// <param name="Messages">Messages a pass of the first table.</param>
/// <param name="Passes">Passes a row.</param>
/// <param name="Sizes">Messages a pass of the second table, at <see cref="SizesInFlight"/>.</param>
/// <param name="WarmUp">Messages a warm-up round.</param>
internal sealed record EndToEndOptions(IReadOnlyList<ClientKind> Clients, IReadOnlyList<int> InFlight, int Messages, int Passes, IReadOnlyList<int> Sizes, int WarmUp)
{
    public const int SizesInFlight = 64;
}
