using System.Text.Json;

namespace Lab.Json;

/// <summary>The message's five properties, token by token.</summary>
internal struct MessageScan : IJsonScan
{
    private Field _field;
    private string? _eventDateUtc;
    private string? _product;
    private string? _siteKey;
    private string? _eventName;
    private string? _messageId;

    private enum Field
    {
        None,
        EventDateUtc,
        Product,
        SiteKey,
        EventName,
        MessageId,
    }

    public readonly MessageFields Result => new(_eventDateUtc, _product, _siteKey, _eventName, _messageId);

    public void Read(ref Utf8JsonReader reader)
    {
        while (reader.Read())
        {
            if (reader.CurrentDepth != 1)
            {
                continue;
            }

            if (reader.TokenType == JsonTokenType.PropertyName)
            {
                _field = FieldOf(ref reader);
            }
            else if (_field != Field.None)
            {
                Keep(reader.GetString());
            }
        }
    }

    private static Field FieldOf(ref Utf8JsonReader reader) =>
        reader.ValueTextEquals("EventDateUtc"u8) ? Field.EventDateUtc
        : reader.ValueTextEquals("Product"u8) ? Field.Product
        : reader.ValueTextEquals("SiteKey"u8) ? Field.SiteKey
        : reader.ValueTextEquals("EventName"u8) ? Field.EventName
        : reader.ValueTextEquals("MessageId"u8) ? Field.MessageId
        : Field.None;

    private void Keep(string? value)
    {
        switch (_field)
        {
            case Field.EventDateUtc:
                _eventDateUtc = value;
                break;
            case Field.Product:
                _product = value;
                break;
            case Field.SiteKey:
                _siteKey = value;
                break;
            case Field.EventName:
                _eventName = value;
                break;
            case Field.MessageId:
                _messageId = value;
                break;
        }

        _field = Field.None;
    }
}
