using System.Xml;

namespace Worker.Sinks.S3.Direct;

/// <summary>
/// S3's error answer: an XML element Error with Code, Message, RequestId and, where it is about one, Region. As the store sent
/// them: neither bounded nor escaped. Source: "Error responses", S3 API reference.
/// </summary>
internal readonly record struct ErrorDocument(string? Code, string? Message, string? RequestId, string? Region)
{
    private static readonly XmlReaderSettings Settings = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
        IgnoreComments = true,
        IgnoreProcessingInstructions = true,
        IgnoreWhitespace = true,
    };

    /// <summary>Never throws for what was sent: of a page that is no such document (a proxy's, a cut one) what could be read counts.</summary>
    /// <param name="xml">The answer's body; may be empty.</param>
    public static ErrorDocument Read(byte[] xml)
    {
        ErrorDocument document = default;
        try
        {
            using MemoryStream stream = new(xml, writable: false);
            using XmlReader reader = XmlReader.Create(stream, Settings);
            if (reader.MoveToContent() != XmlNodeType.Element || reader.LocalName != "Error")
            {
                return document;
            }

            reader.Read();
            while (reader is { EOF: false, NodeType: not XmlNodeType.EndElement })
            {
                if (reader is not { NodeType: XmlNodeType.Element, Depth: 1 } || !IsKnown(reader.LocalName))
                {
                    reader.Skip();
                    continue;
                }

                string name = reader.LocalName;
                string text = reader.ReadElementContentAsString();
                document = name switch
                {
                    "Code" => document with { Code = text },
                    "Message" => document with { Message = text },
                    "RequestId" => document with { RequestId = text },
                    _ => document with { Region = text },
                };
            }
        }
        catch (Exception exception) when (exception is XmlException or InvalidOperationException or ArgumentException)
        {
            // ArgumentException: an encoding that nobody knows.
        }

        return document;
    }

    private static bool IsKnown(string name) => name is "Code" or "Message" or "RequestId" or "Region";
}
