using System.IO.Compression;

namespace Integration.Tests.Worker;

/// <summary>Reads what bundles hold.</summary>
internal static class BundledObjects
{
    /// <summary>The lines of every object; each object must be a whole bundle under a bundle's name.</summary>
    public static async Task<List<string>> ReadLinesAsync(this SinkUnderTest sink)
    {
        List<string> lines = [];
        foreach ((string key, byte[] gzip) in await sink.ReadAllAsync())
        {
            key.ShouldMatch("^web_shop/north/page_visit/2026/01/31/10/[a-z0-9-]+-[0-9a-f]{32}\\.ndjson\\.gz$");
            await using var stream = new GZipStream(new MemoryStream(gzip), CompressionMode.Decompress);
            using var reader = new StreamReader(stream);
            string text = await reader.ReadToEndAsync();
            text.ShouldEndWith("\n");
            lines.AddRange(text[..^1].Split('\n'));
        }

        return lines;
    }
}
