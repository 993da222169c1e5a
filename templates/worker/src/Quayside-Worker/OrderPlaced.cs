using System.Text.Json;
using System.Text.Json.Serialization;

namespace Quayside_Worker;

/// <summary>The message.</summary>
public sealed record OrderPlaced(string OrderId, decimal Total);

/// <summary>How messages are read: code made by the compiler, without reflection.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(OrderPlaced))]
public sealed partial class OrderJson : JsonSerializerContext;
