using System.Text.Json.Serialization;

namespace Harness;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(HarnessReport))]
internal sealed partial class HarnessJson : JsonSerializerContext;
