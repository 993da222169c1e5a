namespace Benchmarks.Sockets.Receiving;

/// <summary>One process's run of one receiver.</summary>
/// <param name="Receiver">Its name.</param>
/// <param name="Rounds">Its measured rounds.</param>
/// <param name="Sent">All that was sent, warm-up included.</param>
/// <param name="Received">All that was received in the end.</param>
internal sealed record ReceivingPass(string Receiver, IReadOnlyList<ReceivingRound> Rounds, long Sent, long Received);
