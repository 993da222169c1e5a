using System.Text.Json.Serialization;
using Harness.Reports;

namespace Harness;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectRequiredConstructorParameters = true, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(HarnessReport))]
[JsonSerializable(typeof(FormReports))]
internal sealed partial class HarnessJson : JsonSerializerContext;
