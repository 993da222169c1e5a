namespace Benchmarks.EndToEnd.Server;

/// <summary>What became of one fill of a queue, as the server saw it.</summary>
/// <param name="Messages">Put in.</param>
/// <param name="Deleted">Deleted by the client.</param>
/// <param name="Stored">Messages whose object holds exactly their bytes.</param>
/// <param name="Wrong">Objects with other bytes than their message, or stored only after the delete.</param>
/// <param name="Redelivered">Handed out again since they were not deleted in time.</param>
/// <param name="Receives">Receive calls.</param>
/// <param name="EmptyReceives">Those that brought nothing.</param>
/// <param name="DeleteCalls">Delete calls.</param>
/// <param name="Seconds">From the first hand-out to the last delete.</param>
/// <param name="P50">Median time from hand-out to delete, in milliseconds.</param>
/// <param name="P99">99th percentile of the same.</param>
internal sealed record QueueTotals(
    int Messages,
    int Deleted,
    int Stored,
    int Wrong,
    int Redelivered,
    int Receives,
    int EmptyReceives,
    int DeleteCalls,
    double Seconds,
    double P50,
    double P99);
