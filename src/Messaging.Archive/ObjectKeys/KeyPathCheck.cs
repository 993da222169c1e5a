using System.Collections.Immutable;
using System.Numerics;
using System.Runtime.InteropServices;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>Finds placeholders that exclude each other: a location in a body is a value, an object or an array, and a value has one kind.</summary>
internal sealed class KeyPathCheck
{
    private readonly Dictionary<string, Place> _places = new(StringComparer.Ordinal);
    private readonly List<KeyTemplateError> _errors;

    private KeyPathCheck(List<KeyTemplateError> errors) => _errors = errors;

    private enum Shape
    {
        Value,
        Object,
        Array,
    }

    /// <summary>Checks the paths of all placeholders, of the id, and of metadata and tags against each other.</summary>
    public static void Check(
        ImmutableArray<KeyLevel> levels, HeaderProperty? id, IEnumerable<(string Setting, PropertyPath Path)> properties, List<KeyTemplateError> errors)
    {
        var check = new KeyPathCheck(errors);
        if (id is not null)
        {
            check.Add(id, nameof(ArchiveOptions.MessageIdProperty), 1);
        }

        foreach (KeyLevel level in levels)
        {
            foreach (KeyPiece piece in level.Pieces.Where(p => p is { Path: not null, Kind: not KeyPieceKind.MessageId }))
            {
                check.Add(new HeaderProperty(piece.Path!, piece.Use), level.Setting, piece.Position);
            }
        }

        foreach ((string setting, PropertyPath path) in properties)
        {
            check.Add(new HeaderProperty(path, HeaderUse.Raw), setting, 1);
        }
    }

    private void Add(HeaderProperty property, string setting, int position)
    {
        ImmutableArray<PropertyStep> steps = property.Path.Steps;
        for (int length = property.Path.IsOfSource ? steps.Length : 1; length <= steps.Length; length++)
        {
            Shape shape = length == steps.Length ? Shape.Value : steps[length].Name is null ? Shape.Array : Shape.Object;
            string path = length == steps.Length ? property.Path.Text : PropertyPath.Format(steps[..length]);
            HeaderUse use = shape == Shape.Value ? property.Use : HeaderUse.None;
            if (!_places.TryGetValue(path, out Place place))
            {
                _places.Add(path, new Place(shape, use, UntrustedText.Shorten(path), property.LogText));
                continue;
            }

            string? problem = place.Shape != shape
                ? $"{property.LogText} needs {Describe(shape)} at {place.Path}, and {place.By} needs {Describe(place.Shape)}"
                : FindProblem(place.Path, place.Use | use);
            if (problem is not null)
            {
                _errors.Add(new KeyTemplateError(setting, position, problem, "placeholders that one message can satisfy together"));
                return;
            }

            _places[path] = place with { Use = place.Use | use };
        }
    }

    private static string? FindProblem(string path, HeaderUse use)
    {
        if (BitOperations.PopCount((uint)(use & HeaderUse.AnyDate)) > 1)
        {
            return $"{path} is used as dates of two kinds";
        }

        return use.HasFlag(HeaderUse.Number) && (use & (HeaderUse.Text | HeaderUse.Date)) != HeaderUse.None
            ? $"{path} is used as a number and as a string"
            : null;
    }

    private static string Describe(Shape shape) => shape switch
    {
        Shape.Value => "a value",
        Shape.Object => "an object",
        _ => "an array",
    };

    [StructLayout(LayoutKind.Auto)]
    private readonly record struct Place(Shape Shape, HeaderUse Use, string Path, string By);
}
