using System.Xml;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// S3's error answer: an XML element Error with Code, Message, RequestId and in some cases Region. The texts are as the store sent them,
/// neither bounded nor escaped. Source: "Error responses", S3 API reference.
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

    /// <summary>Never throws on an invalid answer: of another document (a proxy's page) or a cut one, the readable part counts.</summary>
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

            // Node by node: of an answer that is cut, only the complete elements count.
            string text = string.Empty;
            while (reader.Read())
            {
                switch (reader.NodeType, reader.Depth)
                {
                    case (XmlNodeType.Element, 1):
                        text = string.Empty;
                        break;

                    case (XmlNodeType.Text or XmlNodeType.CDATA, 2):
                        text += reader.Value;
                        break;

                    case (XmlNodeType.EndElement, 1) when text.Length > 0:
                        document = document.With(reader.LocalName, text);
                        break;
                }
            }
        }
        catch (Exception exception) when (exception is XmlException or InvalidOperationException or ArgumentException)
        {
            // ArgumentException: an unknown encoding.
        }

        return document;
    }

    private ErrorDocument With(string element, string text) => element switch
    {
        "Code" => this with { Code = text },
        "Message" => this with { Message = text },
        "RequestId" => this with { RequestId = text },
        "Region" => this with { Region = text },
        _ => this,
    };
}
