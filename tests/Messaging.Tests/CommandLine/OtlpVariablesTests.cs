using Quayside.Messaging.CommandLine.Telemetry;

namespace Messaging.Tests.CommandLine;

public sealed class OtlpVariablesTests
{
    private const string Endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317";

    [Theory]
    [InlineData("OTEL_LOGS_EXPORTER=otlp", "exports no logs over OTLP")]
    [InlineData("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://collector:4318/v1/logs", "exports no logs over OTLP")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS=api-key=hidden", "no endpoint is: set OTEL_EXPORTER_OTLP_ENDPOINT")]
    [InlineData("OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317", "must be an address such as http://collector:4317")]
    [InlineData(Endpoint + ";OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json", "must be grpc or http/protobuf")]
    [InlineData(Endpoint + ";OTEL_EXPORTER_OTLP_TIMEOUT=10s", "must be a whole number of milliseconds")]
    [InlineData(Endpoint + ";OTEL_EXPORTER_OTLP_METRICS_HEADERS=hidden", "must be a list of name=value")]
    [InlineData(Endpoint + ";OTEL_EXPORTER_OTLP_HEADERS=api-key=abc,tenant=1;OTEL_EXPORTER_OTLP_PROTOCOL=grpc;OTEL_EXPORTER_OTLP_TIMEOUT=5000", null)]
    [InlineData("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4318/v1/traces;OTEL_SERVICE_NAME=orders;PATH=/bin;OTEL_EXPORTER_OTLP_HEADERS=", null)]
    public void FindProblems_Variable_IsNamedWithoutItsValue(string variables, string? expected)
    {
        string[] problems = [.. OtlpVariables.FindProblems(variables.Split(';').Select(one => KeyValuePair.Create(one.Split('=', 2)[0], one.Split('=', 2)[1])))
            .Select(problem => problem.ToString())];

        problems.Length.ShouldBe(expected is null ? 0 : 1);
        string.Concat(problems).ShouldContain(expected ?? string.Empty);
        string.Concat(problems).ShouldNotContain("hidden");
    }
}
