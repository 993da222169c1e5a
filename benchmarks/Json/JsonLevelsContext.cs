using System.Text.Json.Serialization;

namespace Benchmarks.Json;

[JsonSerializable(typeof(MessageFields))]
[JsonSerializable(typeof(BulkResponse))]
internal sealed partial class JsonLevelsContext : JsonSerializerContext;
