using System.IO.Pipelines;
using System.Text.Json;

namespace Lab.Json;

/// <summary>The failed ids of a bulk response at each level of System.Text.Json, from each kind of input.</summary>
internal static class BulkLevels
{
    public static List<string> Reflection(byte[] bytes) => JsonSerializer.Deserialize<BulkResponse>(bytes)!.FailedIds();

    public static List<string> High(byte[] bytes) => JsonSerializer.Deserialize(bytes, JsonLevelsContext.Default.BulkResponse)!.FailedIds();

    public static async ValueTask<List<string>> HighAsync(Stream stream) =>
        (await JsonSerializer.DeserializeAsync(stream, JsonLevelsContext.Default.BulkResponse).ConfigureAwait(false))!.FailedIds();

    public static async ValueTask<List<string>> HighAsync(PipeReader pipe)
    {
        BulkResponse response = (await JsonSerializer.DeserializeAsync(pipe, JsonLevelsContext.Default.BulkResponse).ConfigureAwait(false))!;
        await pipe.CompleteAsync().ConfigureAwait(false);
        return response.FailedIds();
    }

    public static List<string> Mid(byte[] bytes)
    {
        using JsonDocument document = JsonDocument.Parse(bytes);
        return Of(document.RootElement);
    }

    public static async ValueTask<List<string>> MidAsync(Stream stream)
    {
        using JsonDocument document = await JsonDocument.ParseAsync(stream).ConfigureAwait(false);
        return Of(document.RootElement);
    }

    public static List<string> Low(byte[] bytes)
    {
        BulkScan scan = new();
        TokenLevel.Read(bytes, ref scan);
        return scan.Result;
    }

    public static async ValueTask<List<string>> LowAsync(Stream stream) => (await TokenLevel.ReadAsync(stream, new BulkScan()).ConfigureAwait(false)).Result;

    public static async ValueTask<List<string>> LowAsync(PipeReader pipe) => (await TokenLevel.ReadAsync(pipe, new BulkScan()).ConfigureAwait(false)).Result;

    private static List<string> Of(JsonElement response)
    {
        List<string> failed = [];
        foreach (JsonElement item in response.GetProperty("items"u8).EnumerateArray())
        {
            JsonElement result = item.GetProperty("index"u8);
            if (result.GetProperty("status"u8).GetInt32() >= 300)
            {
                failed.Add(result.GetProperty("_id"u8).GetString()!);
            }
        }

        return failed;
    }
}
