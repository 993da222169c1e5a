using System.Text.Json;

namespace Lab.Seeds;

/// <summary>All published tables, from <c>Seeds/published.json</c>.</summary>
internal sealed record SeedCatalog(IReadOnlyList<SeedSource> Sources, IReadOnlyList<SeedTable> Tables)
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        ReadCommentHandling = JsonCommentHandling.Skip,
        UnmappedMemberHandling = System.Text.Json.Serialization.JsonUnmappedMemberHandling.Disallow,
    };

    public static SeedCatalog Load()
    {
        using Stream published = typeof(SeedCatalog).Assembly.GetManifestResourceStream("Lab.Seeds.published.json")!;
        return JsonSerializer.Deserialize<SeedCatalog>(published, Options)!;
    }

    public SeedSource SourceOf(SeedTable table) => Sources.Single(source => source.Name == table.Source);
}
