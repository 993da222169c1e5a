using System.Text.Json;

namespace Benchmarks.Seeds;

/// <summary>All published tables, from <c>Seeds/published.json</c>.</summary>
internal sealed record SeedCatalog(IReadOnlyList<SeedSource> Sources, IReadOnlyList<SeedTable> Tables)
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        ReadCommentHandling = JsonCommentHandling.Skip,
        UnmappedMemberHandling = System.Text.Json.Serialization.JsonUnmappedMemberHandling.Disallow,
    };

    public static SeedCatalog Load() => JsonSerializer.Deserialize<SeedCatalog>(InputFile.Read("Seeds.published.json"), Options)!;

    public SeedSource SourceOf(SeedTable table) => Sources.Single(source => source.Name == table.Source);
}
