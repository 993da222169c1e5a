namespace Messaging.Telemetry;

/// <summary>One route as <see cref="ProgressReport"/> sees it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Totals">Its totals since the start.</param>
/// <param name="InFlight">Messages being worked on now.</param>
/// <param name="DoneWord">What became of those that <see cref="RouteTotals.Stored"/> counts.</param>
internal sealed record ReportedRoute(string Name, Func<RouteTotals> Totals, Func<int> InFlight, string DoneWord = "stored");
