using System.Buffers;
using System.Collections.Immutable;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// The path of a value in a body: names and array indexes from the top-level object inwards, such as <c>tenant.id</c> or
/// <c>order.lines[0].sku</c>. Or, after an @, what the source knows beside the body: <c>@group</c>, <c>@attribute.tenant</c>. Names are compared byte by byte,
/// so they are case-sensitive. Paths are equal when all their steps are.
/// </summary>
internal sealed class PropertyPath : IEquatable<PropertyPath>
{
    /// <summary>Maximum steps: the maximum number of objects and arrays around a value in a body.</summary>
    public const int MaxSteps = JsonScanner.MaxDepth;

    /// <summary>The largest index, a limit because the array of every message is read up to it.</summary>
    public const int MaxIndex = 9_999;

    private static readonly SearchValues<char> Special = SearchValues.Create(".[]:\"{}");

    /// <param name="steps">At least one; the first has a name.</param>
    /// <param name="isOfSource">True when the first is one of <see cref="SourceNames"/> and means what the source knows.</param>
    public PropertyPath(ImmutableArray<PropertyStep> steps, bool isOfSource = false)
    {
        if (steps.IsDefaultOrEmpty || steps[0].Name is null)
        {
            throw new ArgumentException("A path starts with the name of a top-level property.", nameof(steps));
        }

        Steps = steps;
        IsOfSource = isOfSource;
        Text = !isOfSource ? Format(steps)
            : steps.Length == 1 ? steps[0].Name!
            : $"{steps[0].Name}.{Format(steps[1..])}";
    }

    /// <summary>True when the value is not in the body.</summary>
    public bool IsOfSource { get; }

    /// <summary>The steps, outermost first.</summary>
    public ImmutableArray<PropertyStep> Steps { get; }

    /// <summary>The path as in a template, with quotes around the names that need them.</summary>
    public string Text { get; }

    /// <summary>The path of a top-level property.</summary>
    public static PropertyPath Of(string name) => new([new PropertyStep(name)]);

    /// <summary>True for characters that are allowed in a name only inside quotes.</summary>
    public static bool IsSpecial(char c) => Special.Contains(c);

    /// <summary>Writes steps as in a template.</summary>
    public static string Format(ImmutableArray<PropertyStep> steps)
    {
        var text = new StringBuilder();
        foreach (PropertyStep step in steps)
        {
            if (step.Name is null)
            {
                text.Append(CultureInfo.InvariantCulture, $"[{step.Index}]");
                continue;
            }

            // The first name of a path into the body is not taken for one of the source.
            text.Append(text.Length > 0 ? "." : "").Append(Quote(step.Name, text.Length == 0 && SourceNames.All.Contains(step.Name)));
        }

        return text.ToString();
    }

    /// <inheritdoc/>
    public bool Equals(PropertyPath? other) => other is not null && string.Equals(Text, other.Text, StringComparison.Ordinal);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as PropertyPath);

    /// <inheritdoc/>
    public override int GetHashCode() => StringComparer.Ordinal.GetHashCode(Text);

    /// <inheritdoc/>
    public override string ToString() => Text;

    private static string Quote(string name, bool isTaken) =>
        !isTaken && name.Length > 0 && name[0] != ' ' && name[^1] != ' ' && !name.AsSpan().ContainsAny(Special)
            ? name
            : $"\"{name.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"";
}

/// <summary>One step of a <see cref="PropertyPath"/>: into a property of an object, or into an element of an array.</summary>
/// <param name="Name">The JSON property name, unescaped; null for an element.</param>
/// <param name="Index">The element's index, from 0.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct PropertyStep(string? Name, int Index = 0);
