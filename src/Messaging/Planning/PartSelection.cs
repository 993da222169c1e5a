using Messaging.Configuration;

namespace Messaging.Planning;

/// <summary>Selects from the parts added by code those of one route, by <c>Pipeline:Parts</c>.</summary>
internal static class PartSelection
{
    /// <param name="settings">Collects the problems.</param>
    /// <param name="route">The route's name.</param>
    /// <param name="wanted">The setting; null when it is not set.</param>
    /// <param name="added">The parts in the order in which they were added; their names are unique.</param>
    public static IReadOnlyList<RoutePart> Choose(SettingsReader settings, string route, string[]? wanted, IReadOnlyList<RoutePart> added)
    {
        if (wanted is null)
        {
            return added;
        }

        if (wanted is [var only] && string.Equals(only, PipelineOptions.NoParts, StringComparison.OrdinalIgnoreCase))
        {
            return [];
        }

        string own = $"Routes:{route}:Pipeline:{nameof(PipelineOptions.Parts)}";
        string key = string.IsNullOrWhiteSpace(settings.Configuration[own]) ? $"Pipeline:{nameof(PipelineOptions.Parts)}" : own;
        List<RoutePart> chosen = [];
        foreach (string name in wanted)
        {
            RoutePart? part = added.FirstOrDefault(part => string.Equals(part.Name, name, StringComparison.OrdinalIgnoreCase));
            if (part is null)
            {
                string hint = added.Count == 0 ? "No part was added." : SettingsReader.Hint(name, [.. added.Select(part => part.Name)]);
                settings.Fail(key, name, $"is not a part added by AddStep or AddBehavior; the worker's own parts and those of handlers always run, each in its stage. {hint}");
            }
            else if (chosen.Contains(part))
            {
                settings.Fail(key, name, "is named twice.", "The part would run twice per message.");
            }
            else
            {
                chosen.Add(part);
            }
        }

        return chosen;
    }
}
