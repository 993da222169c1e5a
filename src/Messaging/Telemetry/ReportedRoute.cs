namespace Messaging.Telemetry;

/// <summary>A route for <see cref="ProgressReport"/>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Totals">Its totals since the start.</param>
/// <param name="InFlight">Messages in flight.</param>
/// <param name="DoneWord">The word for messages that <see cref="RouteTotals.Stored"/> counts.</param>
internal sealed record ReportedRoute(string Name, Func<RouteTotals> Totals, Func<int> InFlight, string DoneWord = "stored");
