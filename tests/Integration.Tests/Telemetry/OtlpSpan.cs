using System.Text;

namespace Integration.Tests.Telemetry;

/// <summary>A span as received: https://github.com/open-telemetry/opentelemetry-proto, trace.proto.</summary>
internal sealed record OtlpSpan
{
    public const int Client = 3;
    public const int Producer = 4;
    public const int Consumer = 5;

    public string Name { get; private set; } = string.Empty;

    public int Kind { get; private set; }

    public string TraceId { get; private set; } = string.Empty;

    public string SpanId { get; private set; } = string.Empty;

    /// <summary>Empty for a root.</summary>
    public string ParentId { get; private set; } = string.Empty;

    /// <summary>0 unset, 1 ok, 2 error.</summary>
    public int Status { get; private set; }

    /// <summary>Attributes: strings and integers as text, other values as an empty text.</summary>
    public Dictionary<string, string> Attributes { get; } = new(StringComparer.Ordinal);

    /// <summary>The ids of the spans it links to.</summary>
    public List<string> Links { get; } = [];

    /// <summary>The spans of an export request.</summary>
    public static List<OtlpSpan> ReadAll(ReadOnlySpan<byte> request)
    {
        List<OtlpSpan> spans = [];
        ProtobufReader resources = new(request);
        while (resources.Read())
        {
            ProtobufReader scopes = new(resources.Bytes);
            while (scopes.Read())
            {
                ProtobufReader scope = new(scopes.Field == 2 ? scopes.Bytes : default);
                while (scope.Read())
                {
                    if (scope.Field == 2)
                    {
                        spans.Add(Read(scope.Bytes));
                    }
                }
            }
        }

        return spans;
    }

    private static OtlpSpan Read(ReadOnlySpan<byte> message)
    {
        OtlpSpan span = new();
        ProtobufReader reader = new(message);
        while (reader.Read())
        {
            switch (reader.Field)
            {
                case 1:
                    span.TraceId = Convert.ToHexStringLower(reader.Bytes);
                    break;
                case 2:
                    span.SpanId = Convert.ToHexStringLower(reader.Bytes);
                    break;
                case 4:
                    span.ParentId = Convert.ToHexStringLower(reader.Bytes);
                    break;
                case 5:
                    span.Name = Encoding.UTF8.GetString(reader.Bytes);
                    break;
                case 6:
                    span.Kind = (int)reader.Number;
                    break;
                case 9:
                    span.AddAttribute(reader.Bytes);
                    break;
                case 13:
                    span.Links.Add(Convert.ToHexStringLower(FieldOf(reader.Bytes, 2).Bytes));
                    break;
                case 15:
                    span.Status = (int)FieldOf(reader.Bytes, 3).Number;
                    break;
            }
        }

        return span;
    }

    private static ProtobufReader FieldOf(ReadOnlySpan<byte> message, int field)
    {
        ProtobufReader reader = new(message);
        while (reader.Read())
        {
            if (reader.Field == field)
            {
                return reader;
            }
        }

        return default;
    }

    private void AddAttribute(ReadOnlySpan<byte> pair)
    {
        ProtobufReader value = new(FieldOf(pair, 2).Bytes);
        value.Read();
        Attributes[Encoding.UTF8.GetString(FieldOf(pair, 1).Bytes)] = value.Field == 3 ? $"{(long)value.Number}" : Encoding.UTF8.GetString(value.Bytes);
    }
}
