using System.Globalization;
using System.Security;
using System.Text;
using Microsoft.AspNetCore.WebUtilities;

namespace Integration.Tests.Faults.S3;

/// <param name="Committed">Whether the operation changed what is stored.</param>
internal sealed record S3Answer(int Status, string ErrorCode, IReadOnlyList<KeyValuePair<string, string>> Headers, byte[] Body, bool Committed)
{
    /// <summary>For a request that is never answered.</summary>
    public static S3Answer None { get; } = new(0, "", [], [], Committed: false);

    public static S3Answer Success(int status, byte[]? body = null, bool committed = false, params IReadOnlyList<KeyValuePair<string, string>> headers) =>
        new(status, "", headers, body ?? [], committed);

    public static S3Answer Failure(S3Error error, S3Request request)
    {
        string xml = $"""
            <?xml version="1.0" encoding="UTF-8"?>
            <Error><Code>{error.Code}</Code><Message>{error.Message}</Message><Resource>/{Escape(request.Bucket)}/{Escape(request.Key)}</Resource></Error>
            """;
        return new S3Answer(error.Status, error.Code, [new("Content-Type", "application/xml")], Encoding.UTF8.GetBytes(xml), Committed: false);
    }

    public static string Escape(string text) => SecurityElement.Escape(text);

    /// <summary>The answer as the bytes of HTTP/1.1, for sending a part of it.</summary>
    public byte[] ToBytes(bool isHead)
    {
        var head = new StringBuilder();
        head.Append(CultureInfo.InvariantCulture, $"HTTP/1.1 {Status} {ReasonPhrases.GetReasonPhrase(Status)}\r\n");
        foreach ((string name, string value) in Headers)
        {
            head.Append(CultureInfo.InvariantCulture, $"{name}: {value}\r\n");
        }

        head.Append(CultureInfo.InvariantCulture, $"Content-Length: {Body.Length}\r\n\r\n");
        byte[] bytes = Encoding.ASCII.GetBytes(head.ToString());
        return isHead ? bytes : [.. bytes, .. Body];
    }
}
