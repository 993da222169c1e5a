using System.Text.Json.Serialization;

namespace Lab.Json;

[JsonSerializable(typeof(MessageFields))]
[JsonSerializable(typeof(BulkResponse))]
internal sealed partial class JsonLevelsContext : JsonSerializerContext;
