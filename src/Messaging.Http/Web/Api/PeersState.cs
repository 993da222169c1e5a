namespace Quayside.Messaging.Http.Web.Api;

/// <summary>The answer of <c>/api/v1/peers</c>; without workers where <c>Hosting:Peers</c> is not set.</summary>
/// <param name="Workers">This worker and its peers.</param>
/// <param name="ReceivedPerSecond">Messages received per second, of all that answer.</param>
/// <param name="DonePerSecond">Messages stored or completed per second, likewise.</param>
/// <param name="NotAnswering">How many do not answer.</param>
internal sealed record PeersState(IReadOnlyList<PeerState> Workers, double ReceivedPerSecond, double DonePerSecond, int NotAnswering);

/// <summary>A worker. Rates are since the last time that a caller asked, and null before that; without an answer, everything but Error is null.</summary>
internal sealed record PeerState(
    string Address,
    string? Error,
    string? Machine,
    string? Version,
    DateTime? StartedAt,
    bool? Ready,
    double? ReceivedPerSecond,
    double? DonePerSecond,
    int? InFlight,
    long? WaitingDeadLetters,
    IReadOnlyList<string> Problems);
