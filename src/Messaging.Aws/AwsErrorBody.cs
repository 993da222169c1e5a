using System.Text.Json;
using System.Xml;

namespace Quayside.Messaging.Aws;

/// <summary>
/// The body of an error answer: S3's XML element Error, or the JSON object of the AWS JSON 1.0 protocol. The texts are as the service sent
/// them, neither bounded nor escaped. Sources: "Error responses", S3 API reference; "AWS JSON 1.0 protocol", Smithy specification.
/// </summary>
internal readonly record struct AwsErrorBody(string? Code, string? Message, string? RequestId = null, string? Region = null)
{
    private static readonly XmlReaderSettings Settings = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
        IgnoreComments = true,
        IgnoreProcessingInstructions = true,
        IgnoreWhitespace = true,
    };

    /// <summary>Never throws on an invalid answer: of another document (a proxy's page) or a cut one, the readable part counts.</summary>
    public static AwsErrorBody Read(ReadOnlySpan<byte> body) =>
        body.TrimStart(" \t\r\n"u8) is [(byte)'{', ..] ? ReadJson(body) : body.IsEmpty ? default : ReadXml(body.ToArray());

    private static AwsErrorBody ReadJson(ReadOnlySpan<byte> json)
    {
        string? code = null;
        string? message = null;
        try
        {
            Utf8JsonReader reader = new(json);
            reader.Read();
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                bool isCode = reader.ValueTextEquals("__type"u8) || reader.ValueTextEquals("code"u8);
                bool isMessage = reader.ValueTextEquals("message"u8) || reader.ValueTextEquals("Message"u8);
                reader.Read();
                if (reader.TokenType == JsonTokenType.String && isCode)
                {
                    code ??= reader.GetString();
                }
                else if (reader.TokenType == JsonTokenType.String && isMessage)
                {
                    message ??= reader.GetString();
                }
                else
                {
                    reader.Skip();
                }
            }
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // Keep what was read before the fault. GetString throws InvalidOperationException on invalid UTF-8.
        }

        return new AwsErrorBody(code, message);
    }

    private static AwsErrorBody ReadXml(byte[] xml)
    {
        AwsErrorBody body = default;
        try
        {
            using MemoryStream stream = new(xml, writable: false);
            using XmlReader reader = XmlReader.Create(stream, Settings);
            // The older query protocol, which servers other than AWS may still speak, puts the element into another.
            _ = reader.MoveToContent() == XmlNodeType.Element && reader.LocalName == "ErrorResponse" && reader.ReadToDescendant("Error");
            if (reader.NodeType != XmlNodeType.Element || reader.LocalName != "Error")
            {
                return body;
            }

            int depth = reader.Depth;

            // Node by node: of an answer that is cut, only the complete elements count.
            string text = string.Empty;
            while (reader.Read())
            {
                switch (reader.NodeType, reader.Depth - depth)
                {
                    case (XmlNodeType.Element, 1):
                        text = string.Empty;
                        break;

                    case (XmlNodeType.Text or XmlNodeType.CDATA, 2):
                        text += reader.Value;
                        break;

                    case (XmlNodeType.EndElement, 1) when text.Length > 0:
                        body = body.With(reader.LocalName, text);
                        break;
                }
            }
        }
        catch (Exception exception) when (exception is XmlException or InvalidOperationException or ArgumentException)
        {
            // ArgumentException: an unknown encoding.
        }

        return body;
    }

    private AwsErrorBody With(string element, string text) => element switch
    {
        "Code" => this with { Code = text },
        "Message" => this with { Message = text },
        "RequestId" => this with { RequestId = text },
        "Region" => this with { Region = text },
        _ => this,
    };
}
