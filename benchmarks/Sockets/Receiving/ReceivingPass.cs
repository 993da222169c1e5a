namespace Benchmarks.Sockets.Receiving;

/// <summary>One process's run of one receiver.</summary>
/// <param name="Receiver">Its name.</param>
/// <param name="Rounds">Its measured rounds.</param>
/// <param name="Sent">Messages sent, including the warm-up.</param>
/// <param name="Received">Messages received in total.</param>
internal sealed record ReceivingPass(string Receiver, IReadOnlyList<ReceivingRound> Rounds, long Sent, long Received);
