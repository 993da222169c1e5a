using System.Text.Json;

namespace Lab.Json;

/// <summary>
/// Generates the large document: a response of Elasticsearch to a bulk request of 108 rows, some of which failed; about 25 KB, the same
/// bytes on every machine (a test pins their hash).
/// </summary>
internal static class BulkResponseDocument
{
    private const int Seed = 20190401;
    private const int Items = 108;
    private const int OneFailsIn = 10;

    public static byte[] Create()
    {
        Random random = new(Seed);
        using MemoryStream bytes = new();
        using Utf8JsonWriter json = new(bytes);
        json.WriteStartObject();
        json.WriteNumber("took", 30);
        json.WriteBoolean("errors", true);
        json.WriteStartArray("items");
        for (int item = 0; item < Items; item++)
        {
            WriteItem(json, item, Id(random), failed: random.Next(OneFailsIn) == 0);
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

    private static void WriteItem(Utf8JsonWriter json, int item, string id, bool failed)
    {
        json.WriteStartObject();
        json.WriteStartObject("index");
        json.WriteString("_index", "cloudfront-2019.04.01");
        json.WriteString("_type", "_doc");
        json.WriteString("_id", id);
        if (failed)
        {
            json.WriteNumber("status", 429);
            json.WriteStartObject("error");
            json.WriteString("type", "es_rejected_execution_exception");
            json.WriteString("reason", "rejected execution of primary operation: the queue is at its capacity of 200");
            json.WriteEndObject();
        }
        else
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
            json.WriteNumber("status", 201);
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }
}
