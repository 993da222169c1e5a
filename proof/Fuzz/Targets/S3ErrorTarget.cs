using System.Text;
using System.Xml;
using System.Xml.Linq;
using Quayside.Messaging.Aws;

namespace Proof.Fuzz.Targets;

/// <summary>S3's error documents beside <see cref="XDocument"/>; the body may be anything.</summary>
internal sealed class S3ErrorTarget : FuzzTarget
{
    private static readonly XmlReaderSettings Settings = new()
    { DtdProcessing = DtdProcessing.Prohibit, XmlResolver = null, IgnoreComments = true, IgnoreProcessingInstructions = true, IgnoreWhitespace = true };

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>SlowDown</Code><Message>Reduce your request "
                + "rate.</Message><RequestId>1</RequestId><Region>eu-west-1</Region></Error>",
            "<Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Code>NoSuchBucket</Code><Message>a &amp; b <![CDATA[c]]></Message></Error>",
            "<html><body>503</body></html>", "<Error/>"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Utf8(
            "<", ">", "</", "/>", "&amp;", "&#0;", "&lt;", "<Error>", "</Error>", "<Code>", "</Code>", "<Message>", "</Message>", "<Region>x</Region>",
            "<!DOCTYPE a [<!ENTITY x \"y\">]>", "&x;", "<!-- -->", "<![CDATA[",
            "]]>", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "encoding=\"x\"", "<a:b xmlns:a=\"c\"/>", " "),
        [0xFF, 0xFE], [0xEF, 0xBB, 0xBF], [0],
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        byte[] xml = input.ToArray();
        AwsErrorBody error = AwsErrorBody.Read(xml);
        if (Parse(xml)?.Root is { Name.LocalName: "Error" } root)
        {
            FuzzException.ThrowIfDifferent(error.Code, Expect(root, "Code"), "Code");
            FuzzException.ThrowIfDifferent(error.Message, Expect(root, "Message"), "Message");
            FuzzException.ThrowIfDifferent(error.Region, Expect(root, "Region"), "Region");
        }

        return HashCode.Combine(Scale(error.Code?.Length ?? -1), Scale(error.Message?.Length ?? -1), error.Region is null, error.RequestId is null);
    }

    private static XDocument? Parse(byte[] xml)
    {
        try
        {
            using XmlReader reader = XmlReader.Create(new MemoryStream(xml), Settings);
            return XDocument.Load(reader);
        }
        catch (Exception exception) when (exception is XmlException or ArgumentException or InvalidOperationException or DecoderFallbackException)
        {
            return null;
        }
    }

    // The last element of the name that has text of its own.
    private static string? Expect(XElement root, string name) => root.Elements()
        .Where(element => element.Name.LocalName == name)
        .Select(element => string.Concat(element.Nodes().OfType<XText>().Select(text => text.Value)))
        .LastOrDefault(text => text.Length > 0);
}
