using System.Text.Json.Nodes;

namespace ElasticsearchServer;

/// <summary>
/// The parameter <c>filter_path</c> ("Common options", reference): omits every field that none of its paths reaches. Supports names and <c>*</c> for a whole
/// name, not exclusions.
/// </summary>
internal static class FilterPath
{
    public static JsonObject Apply(JsonObject answer, string? paths) =>
        paths is null ? answer : (JsonObject?)Filter(answer, [.. paths.Split(',').Select(path => path.Split('.'))], 0) ?? [];

    private static JsonNode? Filter(JsonNode? node, IReadOnlyList<string[]> paths, int depth)
    {
        // A path that ends here keeps the whole subtree.
        if (paths.Any(path => path.Length == depth))
        {
            return node?.DeepClone();
        }

        switch (node)
        {
            case JsonObject children:
                JsonObject kept = [];
                foreach ((string name, JsonNode? child) in children)
                {
                    string[][] further = [.. paths.Where(path => path[depth] == "*" || path[depth] == name)];
                    if (further.Length > 0 && Filter(child, further, depth + 1) is { } filtered)
                    {
                        kept[name] = filtered;
                    }
                }

                return kept.Count > 0 ? kept : null;
            case JsonArray elements:
                JsonNode[] left = [.. elements.Select(element => Filter(element, paths, depth)).OfType<JsonNode>()];
                return left.Length > 0 ? new JsonArray(left) : null;
            default:
                return null;
        }
    }
}
