using System.Text.Json.Serialization;

namespace Messaging.CommandLine;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(Explanation))]
internal sealed partial class ExplainJson : JsonSerializerContext;
