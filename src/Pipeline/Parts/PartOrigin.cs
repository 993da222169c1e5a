using System.Diagnostics;
using Quayside.Pipeline.Behaviors;

namespace Pipeline.Parts;

/// <summary>Finds the part whose code threw an exception: the innermost frame of its stack that belongs to a part. Immutable.</summary>
internal sealed class PartOrigin
{
    private readonly List<(string Type, string Part)> _known = [];

    /// <param name="parts">The classes, with their names for people.</param>
    public PartOrigin(IEnumerable<(Type Type, string Part)> parts)
    {
        (Type Type, string Part)[] all = [.. parts];
        foreach ((Type type, string part) in all)
        {
            // Code that a part inherits counts as its own, unless another part inherits it, too.
            for (Type? declaring = type; declaring is not null && declaring != typeof(object); declaring = declaring.BaseType)
            {
                if (declaring == type || all.Count(other => declaring.IsAssignableFrom(other.Type)) == 1)
                {
                    _known.Add((NameOf(declaring), part));
                }
            }
        }
    }

    public string? Find(Exception exception)
    {
        if (exception is PartDefectException defect)
        {
            return defect.Part;
        }

        foreach (StackFrame frame in new StackTrace(exception, fNeedFileInfo: false).GetFrames())
        {
            // The compiler puts async methods and lambdas into nested classes.
            if (DiagnosticMethodInfo.Create(frame)?.DeclaringTypeName is { } declaring
                && _known.Find(
                    known => declaring.StartsWith(known.Type, StringComparison.Ordinal)
                        && (declaring.Length == known.Type.Length || declaring[known.Type.Length] == '+')).Part is { } part)
            {
                return part;
            }
        }

        return null;
    }

    private static string NameOf(Type type) => (type.IsGenericType ? type.GetGenericTypeDefinition() : type).FullName ?? type.Name;
}
