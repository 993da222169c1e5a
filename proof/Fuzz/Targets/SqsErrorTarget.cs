using System.Net;
using System.Text.Json;
using Messaging.Aws;

namespace Proof.Fuzz.Targets;

/// <summary>Error answers of AWS JSON 1.0 beside <see cref="JsonDocument"/>; the body may be anything.</summary>
internal sealed class SqsErrorTarget : FuzzTarget
{
    private readonly HttpResponseMessage _response = new(HttpStatusCode.BadRequest);

    public override IReadOnlyList<Type> Parser { get; } = [typeof(AwsJsonErrorReader), typeof(AwsErrorClassifier)];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"__type\":\"com.amazonaws.sqs#QueueDoesNotExist\",\"message\":\"The specified queue does not exist.\"}", "{\"code\":\"AWS.SimpleQueueService.NonExistentQueue\",\"Message\":\"no\"}",
            "{\"__type\":\"com.amazon.coral.service#RequestExpired:http://x/\",\"message\":\"\\u001b[2J\"}", "<html>503</html>", "{}", "[]"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [.. Texts.Json, .. Texts.Utf8("\"__type\":\"", "\"code\":\"a#b\",", "\"message\":\"", "\"Message\":\"m\",", "#", ":", ";", ".", "\u202E", new string('m', 300))];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        AwsErrorResponse error = AwsJsonErrorReader.Read(_response, input.Span);
        FuzzException.ThrowUnless(error.Code.Length + error.Message.Length < 4_000, "The texts are not bounded");
        FuzzException.ThrowUnless(!error.Code.Concat(error.Message).Any(char.IsControl), "The texts have control characters");
        using JsonDocument? document = Texts.Parse(input);
        if (document?.RootElement.ValueKind == JsonValueKind.Object)
        {
            bool hasCode = document.RootElement.EnumerateObject().Any(property => (Texts.IsName(property, "__type") || Texts.IsName(property, "code")) && property.Value.ValueKind == JsonValueKind.String);
            FuzzException.ThrowUnless(hasCode || error.Code.Length == 0, $"A code that the answer does not have: {error.Code}");
        }

        return HashCode.Combine(Scale(error.Code.Length), Scale(error.Message.Length), AwsErrorClassifier.Classify(400, error.Code, error.Message));
    }
}
