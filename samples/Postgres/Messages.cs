using System.Text.Json.Serialization;

namespace Samples.Postgres;

public sealed record OrderPlaced(Guid Id, string Customer, decimal Total);

public sealed record Click(Guid Id, string Page, DateTimeOffset At);

[JsonSourceGenerationOptions(RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(OrderPlaced))]
[JsonSerializable(typeof(Click))]
public sealed partial class SampleJson : JsonSerializerContext;
