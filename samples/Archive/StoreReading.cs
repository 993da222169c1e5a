using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Samples.Archive;

public sealed record Reading(string Sensor, DateTimeOffset At, double Celsius);

[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, RespectNullableAnnotations = true, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(Reading))]
public sealed partial class ReadingJson : JsonSerializerContext;

/// <summary>Stores each reading as a line of CSV. The same reading has the same key and bytes, so a redelivery is a duplicate.</summary>
public sealed class StoreReading(ObjectStore store) : IMessageHandler<Reading>
{
    public ValueTask<Settlement> HandleAsync(Reading message, MessageInfo info, CancellationToken cancellationToken)
    {
        string line = FormattableString.Invariant($"{message.Sensor},{message.At.UtcDateTime:O},{message.Celsius}\n");
        return store.StoreAsync(
            $"readings/{Uri.EscapeDataString(message.Sensor)}/{message.At.UtcDateTime:yyyyMMddTHHmmss}.csv", Encoding.UTF8.GetBytes(line), cancellationToken);
    }
}
