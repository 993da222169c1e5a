using System.Text.Json.Serialization;

namespace Lab.Techniques.JsonPooling;

/// <summary>The generated serializer.</summary>
[JsonSerializable(typeof(Reply))]
internal sealed partial class ReplyContext : JsonSerializerContext;
