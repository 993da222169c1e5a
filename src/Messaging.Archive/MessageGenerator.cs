using System.Buffers;
using System.Text.Json;

namespace Quayside.Messaging.Archive;

/// <summary>
/// Makes the messages of <c>publish</c>, the demo and the harness: about 300 bytes of JSON, the five key properties first, then a nested payload.
/// </summary>
internal static class MessageGenerator
{
    private static readonly string[] Products = ["Storefront", "Loyalty Card", "Checkout", "Mobile App"];
    private static readonly string[] Sites = ["amsterdam", "lisbon", "new york", "osaka", "sydney"];
    private static readonly string[] Events = ["Order Placed", "Order Shipped", "Basket Changed", "Payment Taken", "Visit"];

    /// <summary>Writes message <paramref name="index"/>.</summary>
    /// <param name="destination">Receives the body.</param>
    /// <param name="index">Selects the values; the same index gives the same message except for id and date.</param>
    /// <param name="id">The message's id.</param>
    /// <param name="date">The event's date.</param>
    public static void Write(IBufferWriter<byte> destination, int index, string id, DateTimeOffset date)
    {
        using Utf8JsonWriter writer = new(destination);
        writer.WriteStartObject();
        writer.WriteString("EventDateUtc"u8, date.UtcDateTime);
        writer.WriteString("Product"u8, Products[index % Products.Length]);
        writer.WriteString("SiteKey"u8, Sites[index / 3 % Sites.Length]);
        writer.WriteString("EventName"u8, Events[index / 7 % Events.Length]);
        writer.WriteString("MessageId"u8, id);
        writer.WriteStartObject("Payload"u8);
        writer.WriteNumber("sequence"u8, index);
        writer.WriteNumber("amountCents"u8, 199 + (index * 37 % 90_000));
        writer.WriteString("currency"u8, "EUR"u8);
        writer.WriteStartArray("lines"u8);
        for (int line = 0; line < 2; line++)
        {
            writer.WriteStartObject();
            writer.WriteString("sku"u8, $"sku-{(index + line) % 1000:d4}");
            writer.WriteNumber("quantity"u8, 1 + ((index + line) % 3));
            writer.WriteEndObject();
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
        writer.WriteEndObject();
    }
}
