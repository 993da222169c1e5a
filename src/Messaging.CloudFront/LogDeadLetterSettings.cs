using Messaging.DeadLetters;

namespace Messaging.CloudFront;

/// <summary>What the dead letters of all logs of a route share.</summary>
/// <param name="Store">Where they are kept.</param>
/// <param name="Route">The route's name.</param>
/// <param name="Time">The clock.</param>
/// <param name="Metrics">Counts them.</param>
/// <param name="MaxRejectedDocuments">Documents of one log that may be rejected.</param>
internal sealed record LogDeadLetterSettings(IDeadLetterStore Store, string Route, TimeProvider Time, CloudFrontMetrics Metrics, int MaxRejectedDocuments);
