using System.Text.Json.Serialization;

namespace Benchmarks.Keys;

[JsonSerializable(typeof(KeyMessage))]
internal sealed partial class KeyMessageContext : JsonSerializerContext;
