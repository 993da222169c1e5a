using System.Net;
using System.Text.Json;
using Quayside.Messaging.Aws;

namespace Proof.Fuzz.Targets;

/// <summary>Error answers of AWS JSON 1.0 beside <see cref="JsonDocument"/>; the body may be anything.</summary>
internal sealed class SqsErrorTarget : FuzzTarget
{
    private readonly HttpResponseMessage[] _responses = [Response(), Response("x-amzn-errortype"), Response("x-amzn-query-error")];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\",\"message\":\"The specified queue does not exist.\"}",
            "{\"code\":\"AWS.SimpleQueueService.NonExistentQueue\",\"Message\":\"no\"}",
            "{\"__type\":\"com.amazon.coral.service#RequestExpired:http://x/\",\"message\":\"\\u001b[2J\"}", "<html>503</html>", "{}", "[]"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Json,
        .. Texts.Utf8("\"__type\":\"", "\"code\":\"a#b\",", "\"message\":\"", "\"Message\":\"m\",", "#", ":", ";", ".", "\u202E", new string('m', 300)),
        .. Texts
            .Utf8("RequestExpired", "SignatureDoesNotMatch", "Signature expired", "not yet current", "ExpiredToken", "Throttling", "QueueDoesNotExist",
                "AccessDenied", "KmsDisabled", "InternalError", "QueueDeletedRecently")
            .Select(code => (byte[])[.. "\"__type\":\""u8, .. code, .. "\","u8]),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        uint hash = Hash(input.Span);
        HttpResponseMessage response = _responses[hash % _responses.Length];
        AwsError error = AwsError.Read(response, input.Span);
        FuzzException.ThrowUnless(error.Code.Length + error.Message.Length < 4_000, "The texts are not bounded");
        FuzzException.ThrowUnless(!error.Code.Concat(error.Message).Any(char.IsControl), "The texts have control characters");
        using JsonDocument? document = Texts.Parse(input);
        if (document?.RootElement.ValueKind == JsonValueKind.Object)
        {
            bool hasCode = document.RootElement
                .EnumerateObject()
                .Any(property => (Texts.IsName(property, "__type") || Texts.IsName(property, "code")) && property.Value.ValueKind == JsonValueKind.String);
            FuzzException.ThrowUnless(
                hasCode || error.Code == (response == _responses[0] ? string.Empty : "Header"), $"A code that the answer does not have: {error.Code}");
        }

        return HashCode.Combine(
            Scale(error.Code.Length), Scale(error.Message.Length), AwsError.KindOf(error.Code, error.Message, TimeSpan.FromMinutes(hash % 5)));
    }

    private static HttpResponseMessage Response(params ReadOnlySpan<string> headers)
    {
        HttpResponseMessage response = new(HttpStatusCode.BadRequest);
        foreach (string header in headers)
        {
            response.Headers.TryAddWithoutValidation(header, "a.b#Header;c");
            response.Headers.TryAddWithoutValidation("x-amzn-requestid", "1");
        }

        return response;
    }
}
