using System.Text;
using System.Text.Json;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Proof.Fuzz.Targets;

/// <summary>
/// Answers to batches beside <see cref="JsonDocument"/>: an entry succeeded only where the answer says so, and never where it says that it failed.
/// </summary>
internal sealed class SqsBatchTarget : FuzzTarget
{
    private const int Entries = 4;

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"Successful\":[{\"Id\":\"0\"},{\"Id\":\"1\",\"MessageId\":\"m\"}],\"Failed\":[{\"Id\":\"2\",\"Code\":\"ReceiptHandleIsInvalid\","
                + "\"Message\":\"no\",\"SenderFault\":true}]}",
            "{\"Failed\":[{\"Id\":\"0\",\"Code\":\"AWS.SimpleQueueService.InternalError\",\"SenderFault\":false}],\"Successful\":[{\"Id\":\"0\"},"
                + "{\"Id\":\"3\"}]}",
            "{\"Successful\":[{\"Id\":\"10\"},{\"Id\":\"\"},{\"Id\":1},{}],\"Failed\":null}", "{}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Json,
            .. Texts.Utf8(
                "\"Successful\":[", "\"Failed\":[", "{\"Id\":\"0\"}", "{\"Id\":\"1\"},", "\"Id\":\"2\",", "\"Id\":\"\\u0033\"",
                "\"Code\":\"RequestThrottled\",", "\"SenderFault\":true,", "\"Message\":\"x\"")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        BatchEntryResult[] results = new BatchEntryResult[Entries];
        bool?[]? expected = Expect(input);
        try
        {
            BatchResponseReader.Read(input.Span, results);
        }
        catch (JsonException)
        {
            FuzzException.ThrowUnless(expected is null, "An answer was refused that the twin reads");
            return 0;
        }

        FuzzException.ThrowUnless(expected is not null, "An answer was read that the twin refuses");
        int signature = 0;
        for (int i = 0; i < Entries; i++)
        {
            FuzzException.ThrowIfDifferent(results[i].Succeeded, expected![i] == true, $"entry {i} succeeded");
            FuzzException.ThrowUnless(results[i].Succeeded == (results[i].Kind == AwsErrorKind.None), $"Entry {i} has the kind {results[i].Kind}");
            FuzzException.ThrowUnless(expected[i] is not null || results[i].Code == "Unanswered", $"Entry {i} has a result that the response does not contain");
            signature = HashCode.Combine(signature, results[i].Kind, Scale(results[i].Code?.Length ?? 0), Scale(results[i].Detail?.Length ?? 0));
        }

        return signature;
    }

    /// <summary>Per entry: succeeded, failed, or not mentioned.</summary>
    private static bool?[]? Expect(ReadOnlyMemory<byte> input)
    {
        using JsonDocument? document = Texts.Parse(input);
        if (document is null || document.RootElement.ValueKind != JsonValueKind.Object)
        {
            return null;
        }

        bool?[] expected = new bool?[Entries];
        foreach ((string list, bool succeeded) in new[] { ("Successful", true), ("Failed", false) })
        {
            foreach (JsonProperty property in document.RootElement
                .EnumerateObject()
                .Where(property => Texts.IsName(property, list) && property.Value.ValueKind == JsonValueKind.Array))
            {
                foreach (JsonElement entry in property.Value.EnumerateArray())
                {
                    if (entry.ValueKind != JsonValueKind.Object)
                    {
                        return null;
                    }

                    string? id = entry.EnumerateObject()
                        .Where(member => Texts.IsName(member, "Id") && member.Value.ValueKind == JsonValueKind.String)
                        .Select(member => Encoding.UTF8.GetString(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(member.Value)[1..^1]))
                        .LastOrDefault();
                    if (id is [>= '0' and < (char)('0' + Entries)])
                    {
                        expected[id[0] - '0'] = succeeded;
                    }
                }
            }
        }

        return expected;
    }
}
