using System.Text.Json;

namespace Benchmarks.CloudFront.Bulk;

/// <summary>
/// Answers of Elasticsearch 8 to a bulk request, of about 25 KB, the same bytes on every machine (a test pins their hashes): 108 documents
/// created, or one in ten of them refused. In full and, as the worker asks for them, with <c>filter_path</c>.
/// </summary>
internal static class BulkInput
{
    private const int Seed = 20190401;
    private const int Items = 108;
    private const int OneFailsIn = 10;

    public static byte[] Create(bool failure, bool filtered = false)
    {
        Random random = new(Seed);
        using MemoryStream bytes = new();
        using Utf8JsonWriter json = new(bytes);
        json.WriteStartObject();
        json.WriteBoolean("errors", failure);
        json.WriteNumber("took", 30);
        json.WriteStartArray("items");
        for (int item = 0; item < Items; item++)
        {
            string id = Id(random);
            bool failed = random.Next(OneFailsIn) == 0 && failure;
            json.WriteStartObject();
            json.WriteStartObject("create");
            if (!filtered)
            {
                json.WriteString("_index", "cloudfront-2019.04.01");
            }

            json.WriteString("_id", id);
            if (failed)
            {
                WriteFailure(json, filtered);
            }
            else
            {
                WriteSuccess(json, item, filtered);
            }

            json.WriteEndObject();
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        return bytes.ToArray();
    }

    private static string Id(Random random)
    {
        byte[] id = new byte[16];
        random.NextBytes(id);
        return new Guid(id).ToString();
    }

    private static void WriteFailure(Utf8JsonWriter json, bool filtered)
    {
        json.WriteNumber("status", 429);
        json.WriteStartObject("error");
        json.WriteString("type", "es_rejected_execution_exception");
        json.WriteString("reason", "rejected execution of primary operation: the queue is at its capacity of 200");
        if (!filtered)
        {
            json.WriteString("index_uuid", "lHkiUFEmTrKYugulAenzgA");
            json.WriteString("shard", "0");
            json.WriteString("index", "cloudfront-2019.04.01");
        }

        json.WriteEndObject();
    }

    private static void WriteSuccess(Utf8JsonWriter json, int item, bool filtered)
    {
        if (!filtered)
        {
            json.WriteNumber("_version", 1);
            json.WriteString("result", "created");
            json.WriteStartObject("_shards");
            json.WriteNumber("total", 2);
            json.WriteNumber("successful", 1);
            json.WriteNumber("failed", 0);
            json.WriteEndObject();
            json.WriteNumber("_seq_no", item);
            json.WriteNumber("_primary_term", 1);
        }

        json.WriteNumber("status", 201);
    }
}
