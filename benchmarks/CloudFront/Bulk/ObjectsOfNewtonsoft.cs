using Newtonsoft.Json;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>The original: text, an object for everything, a query for the failed ones.</summary>
internal static class ObjectsOfNewtonsoft
{
    private static readonly JsonSerializer Serializer = JsonSerializer.CreateDefault();

    public static BulkFailures Read(Stream stream)
    {
        using StreamReader text = new(stream, leaveOpen: true);
        using JsonTextReader reader = new(text);
        Response response = Serializer.Deserialize<Response>(reader)!;
        return response.Errors
            ? new BulkFailures(Success: false, [.. response.Items!.Where(item => item.Create!.Status >= 300).Select(item => item.Create!.Id!)])
            : BulkFailures.None;
    }

#pragma warning disable CA1812 // made by the serializer
    private sealed class Response
    {
        public int Took { get; set; }

        public bool Errors { get; set; }

        public List<Item>? Items { get; set; }
    }

    private sealed class Item
    {
        public Result? Create { get; set; }
    }

    private sealed class Result
    {
        [JsonProperty("_index")]
        public string? Index { get; set; }

        [JsonProperty("_id")]
        public string? Id { get; set; }

        [JsonProperty("_version")]
        public long Version { get; set; }

        [JsonProperty("result")]
        public string? Outcome { get; set; }

        [JsonProperty("_shards")]
        public Shards? Shards { get; set; }

        [JsonProperty("_seq_no")]
        public long SequenceNumber { get; set; }

        [JsonProperty("_primary_term")]
        public long PrimaryTerm { get; set; }

        public int Status { get; set; }

        public Error? Error { get; set; }
    }

    private sealed class Shards
    {
        public int Total { get; set; }

        public int Successful { get; set; }

        public int Failed { get; set; }
    }

    private sealed class Error
    {
        public string? Type { get; set; }

        public string? Reason { get; set; }
    }
#pragma warning restore CA1812
}
