using System.Text.Json;
using System.Text.Json.Serialization;

namespace Quayside.Messaging.Testing;

/// <summary>Reads any JSON.</summary>
[JsonSerializable(typeof(JsonElement))]
internal sealed partial class AnyJson : JsonSerializerContext;
