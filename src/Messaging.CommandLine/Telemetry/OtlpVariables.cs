using System.Collections;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.CommandLine.Telemetry;

/// <summary>Finds OpenTelemetry's variables that the worker ignores, or that the exporter cannot read.</summary>
internal static class OtlpVariables
{
    private const string Prefix = "OTEL_EXPORTER_OTLP_";
    private const string NoLogs = "is set in the environment, and the worker exports no logs over OTLP: read its standard output.";

    /// <summary>A problem per variable, without its value, which may be a secret.</summary>
    public static IEnumerable<ConfigurationError> FindProblems() => FindProblems(
        Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(one => KeyValuePair.Create((string)one.Key, (string?)one.Value ?? string.Empty)));

    internal static IEnumerable<ConfigurationError> FindProblems(IEnumerable<KeyValuePair<string, string>> environment)
    {
        KeyValuePair<string, string>[] given =
            [.. environment.Where(static one => !string.IsNullOrWhiteSpace(one.Value)).OrderBy(static one => one.Key, StringComparer.Ordinal)];
        string[] endpoints = [$"{Prefix}ENDPOINT", $"{Prefix}TRACES_ENDPOINT", $"{Prefix}METRICS_ENDPOINT"];
        bool isExported = given.Any(one => endpoints.Contains(one.Key));
        foreach ((string name, string value) in given)
        {
            if (FindProblem(name, value, isExported) is { } problem)
            {
                yield return new ConfigurationError(name, Value: null, problem, "It has no effect.");
            }
        }
    }

    private static string? FindProblem(string name, string value, bool isExported)
    {
        // "none" is the standard's word for what the worker does.
        if ((name == "OTEL_LOGS_EXPORTER" && value != "none") || name.StartsWith("OTEL_BLRP_", StringComparison.Ordinal))
        {
            return NoLogs;
        }

        if (!name.StartsWith(Prefix, StringComparison.Ordinal))
        {
            return null;
        }

        string rest = name[Prefix.Length..];
        bool isOfSignal = rest.StartsWith("TRACES_", StringComparison.Ordinal) || rest.StartsWith("METRICS_", StringComparison.Ordinal);
        string key = isOfSignal ? rest[(rest.IndexOf('_', StringComparison.Ordinal) + 1)..] : rest;
        return key switch
        {
            _ when key.StartsWith("LOGS_", StringComparison.Ordinal) => NoLogs,
            _ when !isExported => $"is set in the environment, and no endpoint is: set {Prefix}ENDPOINT, such as http://collector:4317.",
            "ENDPOINT" when !Uri.TryCreate(value, UriKind.Absolute, out Uri? address) || address.Scheme is not ("http" or "https") =>
                "must be an address such as http://collector:4317.",
            "PROTOCOL" when value is not ("grpc" or "http/protobuf") => "must be grpc or http/protobuf.",
            "TIMEOUT" when !int.TryParse(value, out int milliseconds) || milliseconds <= 0 => "must be a whole number of milliseconds.",
            "HEADERS" when value.Split(',').Any(static one => one.IndexOf('=', StringComparison.Ordinal) <= 0) =>
                "must be a list of name=value, separated by commas.",
            _ => null,
        };
    }
}
