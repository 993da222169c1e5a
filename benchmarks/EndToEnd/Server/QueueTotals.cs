namespace Benchmarks.EndToEnd.Server;

/// <summary>The outcome of one fill of a queue, as the server saw it.</summary>
/// <param name="Messages">Messages added.</param>
/// <param name="Deleted">Messages that the client deleted.</param>
/// <param name="Stored">Messages whose object holds exactly their bytes.</param>
/// <param name="Wrong">Objects with other bytes than their message, or stored only after the delete.</param>
/// <param name="Redelivered">Messages delivered again because they were not deleted in time.</param>
/// <param name="Receives">Receive calls.</param>
/// <param name="EmptyReceives">Receive calls that returned no message.</param>
/// <param name="DeleteCalls">Delete calls.</param>
/// <param name="Seconds">From the first delivery to the last delete.</param>
/// <param name="P50">Median time from delivery to delete, in milliseconds.</param>
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
