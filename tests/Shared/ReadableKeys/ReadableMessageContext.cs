using System.Text.Json.Serialization;

namespace Tests.Shared.ReadableKeys;

/// <summary>System.Text.Json's generated reader of <see cref="ReadableMessage"/>.</summary>
[JsonSerializable(typeof(ReadableMessage))]
internal sealed partial class ReadableMessageContext : JsonSerializerContext;
