using System.IO.Enumeration;

namespace Quayside.Messaging.Telemetry;

/// <summary>A meter, besides the worker's own, that exporters export; a service of the container for each call of <c>AddMeter</c>.</summary>
/// <param name="Name">The name of the meter; <c>*</c> stands for any characters. The case of letters does not count.</param>
internal sealed record ExportedMeter(string Name)
{
    /// <summary>True when the name, or the pattern, matches a meter.</summary>
    public bool Matches(string meter) => Name.Contains('*', StringComparison.Ordinal)
        ? FileSystemName.MatchesSimpleExpression(Name, meter)
        : string.Equals(Name, meter, StringComparison.OrdinalIgnoreCase);
}
