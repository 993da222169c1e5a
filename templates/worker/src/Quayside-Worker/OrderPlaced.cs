using System.Text.Json;
using System.Text.Json.Serialization;

namespace Quayside_Worker;

/// <summary>The message.</summary>
public sealed record OrderPlaced(string OrderId, decimal Total);

/// <summary>Reads messages with source-generated code, without reflection.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(OrderPlaced))]
public sealed partial class OrderJson : JsonSerializerContext;
