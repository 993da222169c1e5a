using System.Text.Json.Serialization;

namespace Messaging.Tests.Handlers.Typed;

internal sealed record Order
{
    public required string Id { get; init; }

    public int Quantity { get; init; }

    public DateTimeOffset? PlacedAt { get; init; }

    public IReadOnlyList<OrderLine> Lines { get; init; } = [];
}

internal sealed record OrderLine(string Article, decimal Price);

internal readonly record struct Reading(int Sensor, double Value);

/// <summary>Its constructor throws for invalid values, like types with rules of their own.</summary>
internal sealed class Percentage
{
    public Percentage(int value) =>
        Value = value is >= 0 and <= 100 ? value : throw new ArgumentOutOfRangeException(nameof(value), "A percentage is 0 to 100.");

    public int Value { get; }
}

[JsonPolymorphic]
[JsonDerivedType(typeof(Circle), "circle")]
internal abstract record Shape;

internal sealed record Circle(double Radius) : Shape;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Reading))]
[JsonSerializable(typeof(Percentage))]
[JsonSerializable(typeof(Shape))]
internal sealed partial class TestJson : JsonSerializerContext;
