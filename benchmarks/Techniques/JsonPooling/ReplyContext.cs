using System.Text.Json.Serialization;

namespace Benchmarks.Techniques.JsonPooling;

/// <summary>The generated serializer.</summary>
[JsonSerializable(typeof(Reply))]
internal sealed partial class ReplyContext : JsonSerializerContext;
