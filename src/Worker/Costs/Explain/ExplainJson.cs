using System.Text.Json.Serialization;

namespace Worker.Costs.Explain;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(Explanation))]
internal sealed partial class ExplainJson : JsonSerializerContext;
